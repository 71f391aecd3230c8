import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexReader, runFilesInBlock } from '../../core/io/archive-files.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'grounding-archive-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('indexReader', () => {
  // Longer than what is read ahead, with lines of all lengths, one of them longer than that alone.
  const lines = Array.from({ length: 400 }, (_, i) => `${i}:${'x'.repeat((i * 37) % 900)}`);
  lines[200] = `200:${'y'.repeat(100_000)}`;
  const positions = lines.map((_, i) => ({
    line: i + 1,
    offset: lines.slice(0, i).reduce((sum, line) => sum + line.length + 1, 0),
    length: lines[i]?.length ?? 0,
  }));

  it.each([
    ['in their order', (i: number) => i],
    ['from the last to the first', (i: number) => lines.length - 1 - i],
    ['in any order', (i: number) => (i * 151) % lines.length],
    ['with gaps', (i: number) => (i * 7) % lines.length],
  ])('returns each line when they are asked for %s', (_, at) => {
    writeFileSync(join(folder, 'invocations.jsonl'), lines.join('\n'));
    const reader = indexReader(folder);
    for (let i = 0; i < lines.length; i++) {
      const position = positions[at(i)] ?? { line: 0, offset: 0, length: 0 };
      expect(Buffer.from(reader.read(position)).toString('utf8')).toBe(lines[at(i)]);
    }
    reader.close();
  });

  it('returns what is left when the file ends before the line does', () => {
    writeFileSync(join(folder, 'invocations.jsonl'), 'abcdef');
    const reader = indexReader(folder);
    expect(Buffer.from(reader.read({ line: 1, offset: 0, length: 3 })).toString('utf8')).toBe('abc');
    expect(Buffer.from(reader.read({ line: 2, offset: 4, length: 9 })).toString('utf8')).toBe('ef');
    reader.close();
  });
});

describe('runFilesInBlock', () => {
  const read = (files: ReturnType<typeof runFilesInBlock>, name: string): string => {
    const result = files.read(join(folder, name), 1 << 30);
    return result.kind === 'bytes' ? Buffer.from(result.bytes).toString('utf8') : JSON.stringify(result);
  };

  it('keeps the files of one run apart, those that fit into no block included', () => {
    const large = 'l'.repeat((1 << 20) + 1);
    const texts = { a: 'first', b: large, c: '', d: 'last' };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const files = runFilesInBlock();
    for (const _ of [1, 2, 3]) {
      files.beginRun?.();
      const results = Object.keys(texts).map((name) => files.read(join(folder, name), 1 << 30));
      expect(results.map((result) => (result.kind === 'bytes' ? result.bytes.toString() : result.kind))).toEqual(
        results.map((_result, at) => Buffer.from(Object.values(texts)[at] ?? '').toString()),
      );
    }
  });

  it('refuses a link, a folder and what is too large, and tells of what is absent', () => {
    writeFileSync(join(folder, 'file'), 'text');
    mkdirSync(join(folder, 'folder'));
    symlinkSync(join(folder, 'file'), join(folder, 'link'));
    const files = runFilesInBlock();
    expect(read(files, 'file')).toBe('text');
    expect(read(files, 'link')).toBe('{"kind":"refused","why":"not-a-file"}');
    expect(read(files, 'folder')).toBe('{"kind":"refused","why":"not-a-file"}');
    expect(read(files, 'none')).toBe('{"kind":"absent"}');
    expect(files.read(join(folder, 'file'), 3)).toEqual({ kind: 'refused', why: 'too-large' });
  });
});
