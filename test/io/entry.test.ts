import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryPath, ownPackage } from '../../core/io/entry.js';

describe('ownPackage', () => {
  it.each([
    ['clone', ['scripts/build.mjs'], 'checkout'],
    ['home/node_modules/grounding-gate', [], 'installed'],
    ['cache/_npx/0a1b/node_modules/grounding-gate', [], 'fetched'],
  ])('returns for %s, with %j in it, the kind %s', (place, files, kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'gate-own-'));
    const root = join(folder, place);
    for (const file of ['package.json', ...files]) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '{}');
    }
    mkdirSync(join(root, 'build/chunks'), { recursive: true });
    expect(ownPackage(join(root, 'build/chunks'))).toEqual({ root, kind });
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('entryPath', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gate-entry-'));
    writeFileSync(join(root, 'package.json'), '{}');
    for (const folder of ['build/chunks', 'dist', 'core/io']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'build/agent-host.js'), '');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('returns the program beside the bundle when it stands there', () => {
    writeFileSync(join(root, 'dist/agent-host.js'), '');
    expect(entryPath('agent-host', join(root, 'dist'))).toBe(join(root, 'dist/agent-host.js'));
  });

  it('returns the program above a chunk when shared code runs', () => {
    expect(entryPath('agent-host', join(root, 'build/chunks'))).toBe(join(root, 'build/agent-host.js'));
  });

  it('returns the built program when the sources run', () => {
    expect(entryPath('agent-host', join(root, 'core/io'))).toBe(join(root, 'build/agent-host.js'));
  });

  it('throws when the package was not built', () => {
    expect(() => entryPath('schema-worker', join(root, 'core/io'))).toThrow(/schema-worker/);
  });
});
