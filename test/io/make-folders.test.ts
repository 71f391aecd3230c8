import { existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolders } from '../../core/io/make-folders.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('makeFolders', () => {
  it('makes the folder and those above it, and does nothing the second time', () => {
    const folder = join(temporaryFolder(), 'a/b/c');
    makeFolders(folder);
    makeFolders(folder);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it.each([
    ['EEXIST when a file has the path', 'file', 'EEXIST'],
    ['ENOTDIR when a file stands above it', 'file/a/b', 'ENOTDIR'],
    ['EEXIST when a dangling link has the path', 'dangling', 'EEXIST'],
    ['EEXIST when a dangling link stands above it', 'dangling/a', 'EEXIST'],
    ['ENAMETOOLONG when no file system takes the name', 'a'.repeat(300), 'ENAMETOOLONG'],
  ])('throws %s', (_, name, code) => {
    const root = temporaryFolder({ file: '' });
    symlinkSync(join(root, 'nothing'), join(root, 'dangling'));
    expect(() => makeFolders(join(root, name))).toThrow(expect.objectContaining({ code }));
    expect(existsSync(join(root, 'nothing'))).toBe(false);
  });

  // Node's own recursive mkdir turns round for ever there, so that the command line printed nothing and never ended.
  it.runIf(existsSync('/proc/self'))('throws ENOENT when the folder above takes no new names', () => {
    expect(() => makeFolders('/proc/no-runs-here/a')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
