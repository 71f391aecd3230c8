import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeOutputFile } from '../../core/io/output-file.js';
import { codeOf } from '../support/code-of.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('writeOutputFile', () => {
  it('writes the file and leaves nothing beside it, however long its name is', () => {
    const folder = temporaryFolder();
    const path = 'x'.repeat(255);
    writeOutputFile({ path, folder }, 'first');
    writeOutputFile({ path, folder }, 'second');
    expect(readdirSync(folder)).toEqual([path]);
    expect(readFileSync(join(folder, path), 'utf8')).toBe('second');
  });

  it('writes the file beside what a killed process with the same id left', () => {
    const left = Array.from(
      { length: 100 },
      (_, at) => [`.grounding-output.${process.pid}.${at}.tmp`, 'left'] as const,
    );
    const folder = temporaryFolder(Object.fromEntries(left));
    writeOutputFile({ path: 'report', folder }, 'text');
    expect(readFileSync(join(folder, 'report'), 'utf8')).toBe('text');
    expect(readdirSync(folder)).toHaveLength(101);
    for (const [name, text] of left) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it.each([
    ['a file stands where its folder should be', 'file/report'],
    ['its folder is missing', 'missing/report'],
    ['its name is longer than a file system takes', 'x'.repeat(300)],
    ['its folder has such a name', `${'x'.repeat(300)}/report`],
    ['a folder has its path', 'folder'],
    ['its path goes round in links', 'round/report'],
  ])('refuses with output-unwritable and writes nothing when %s', (_, path) => {
    const folder = temporaryFolder({ file: 'kept' });
    mkdirSync(join(folder, 'folder'));
    symlinkSync('round', join(folder, 'round'));
    const before = readdirSync(folder);
    expect(codeOf(() => writeOutputFile({ path, folder }, 'text'))).toMatchObject({
      code: 'output-unwritable',
      file: path,
    });
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('kept');
  });
});
