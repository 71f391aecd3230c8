import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { call, scene } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'github-'));
afterAll(() => rmSync(folder, { recursive: true }));

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])
    .toString()
    .trim();

test('makes a clone that git finds sound, with the same names', async () => {
  const { repository } = await scene({});
  const files = {
    'a/b.txt': 'b\n',
    'a.txt': 'a\n',
    link: { symlink: 'a.txt' },
    run: { executable: '#!/bin/sh\n' },
    'é.txt': 'x',
  };
  const base = repository.head();
  const head = repository.commit({ branch: 'change', files });
  const pull = repository.pulls.open({ head: 'change' });
  const merge = repository.pulls.testMerge(pull);
  const clone = join(folder, 'clone');
  repository.exportClone(clone, merge);
  expect(git(clone, 'fsck', '--strict')).toBe('');
  expect(git(clone, 'rev-parse', 'HEAD', 'origin/main', 'origin/change').split('\n')).toEqual([merge, base, head]);
  expect(git(clone, 'status', '--porcelain')).toBe('');
  expect(git(clone, 'merge-base', base, head)).toBe(repository.pulls.mergeBase(pull));
});

test('takes over a clone that git made', async () => {
  const { repository, server } = await scene({});
  const clone = join(folder, 'made');
  execFileSync('git', ['init', '-q', '-b', 'main', clone]);
  writeFileSync(join(clone, 'one.json'), '{}\n');
  git(clone, 'add', '.');
  git(clone, 'commit', '-qm', 'one');
  repository.importClone(clone);
  expect(repository.head()).toBe(git(clone, 'rev-parse', 'HEAD'));
  const answer = await call(server, { route: 'GET /repos/octo/agents/contents/one.json' });
  expect(answer.body).toMatchObject({ sha: git(clone, 'rev-parse', 'HEAD:one.json'), size: 3 });
});

test('serves contents as GitHub does: links followed, large files without their text, folders cut at 1,000', async () => {
  const { server, repository } = await scene({});
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`many/${index}`, 'x']));
  const large = 'x'.repeat(1024 * 1024 + 1);
  repository.commit({
    files: { ...many, large, link: { symlink: 'README.md' }, out: { symlink: '../../etc/passwd' } },
  });
  const get = (path: string, headers = {}) =>
    call(server, { route: `GET /repos/octo/agents/contents/${path}`, headers });
  expect((await get('link')).body).toMatchObject({ type: 'file', size: 6 });
  expect((await get('out')).body).toMatchObject({ type: 'symlink', target: '../../etc/passwd' });
  expect((await get('large')).body).toMatchObject({ encoding: 'none', content: '', size: large.length });
  expect((await get('large', { accept: 'application/vnd.github.raw+json' })).body).toBe(large);
  expect((await get('many')).body).toHaveLength(1000);
  expect(await get('nothing')).toMatchObject({ status: 404 });
  expect(await get('README.md?ref=nowhere')).toMatchObject({ status: 404 });
});

test('says when a tree is cut', async () => {
  const { server, repository } = await scene({});
  repository.commit({ files: { 'a/1': 'x', 'a/2': 'x', b: 'x' } });
  const route = 'GET /repos/octo/agents/git/trees/main?recursive=1';
  expect((await call(server, { route })).body).toMatchObject({ truncated: false, tree: { length: 5 } });
  server.state.mostTreeEntries = 4;
  expect((await call(server, { route })).body).toMatchObject({ truncated: true, tree: { length: 4 } });
});

test('compares from where two branches parted, and cuts the files at 300', async () => {
  const { server, repository } = await scene({});
  const parted = repository.head();
  const files = Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`f/${index}`, 'x']));
  repository.commit({ branch: 'change', files });
  repository.commit({ files: { other: 'x' } });
  const answer = await call(server, { route: 'GET /repos/octo/agents/compare/main...change' });
  expect(answer.body).toMatchObject({
    status: 'diverged',
    ahead_by: 1,
    behind_by: 1,
    merge_base_commit: { sha: parted },
    files: { length: 300 },
  });
});
