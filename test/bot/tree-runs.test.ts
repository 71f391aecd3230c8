import { expect, test } from 'vitest';
import { treeRuns } from '../../bot/evidence/tree-runs.js';
import type { CommitFiles } from '../../core/index.js';

const id = (at: number) => `01a0c455-bf5e-7bd9-8565-${at.toString(16).padStart(12, '0')}`;
const FILES = ['request.json', 'envelope.json', 'spans.jsonl', 'grounding.txt', 'sources.txt'];

/** A commit that holds these files; a link where the text begins with an arrow. */
function commit(files: Readonly<Record<string, string>>, reads: string[] = []): CommitFiles {
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    mode: text.startsWith('->') ? '120000' : '100644',
    sha: path,
  }));
  return {
    commit: 'c',
    list: async ([folder = '']) =>
      entries.filter(({ path }) => folder === '.' || path === folder || path.startsWith(`${folder}/`)),
    linkAbove: async () => null,
    read: async (sha) => {
      reads.push(sha);
      return Buffer.from(files[sha] ?? '');
    },
  };
}

const many = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => FILES.map((file) => [`runs/${id(at)}/${file}`, '{}'])).flat(),
  );

test('says how many of 5,000 runs were judged, which is no pass', async () => {
  const reads: string[] = [];
  const head = commit(many(5_000), reads);
  const found = await treeRuns({ head, base: commit({}), folder: 'runs', changes: null, choice: 'all' });
  expect(found.archives[0]?.only?.size).toBe(600);
  expect(reads).toHaveLength(3_000);
  expect(found.findings).toMatchObject([{ rule: 'not-judged', level: 'error' }]);
  expect(found.findings[0]?.message).toContain('600 of 5000 runs judged');
});

test('reads the runs that a change touches, and of the others only what they delegated to', async () => {
  const parent = JSON.stringify({
    delegations: [{ delegated_invocation_id: id(2) }, { delegated_invocation_id: '../../etc' }],
  });
  const files = { ...many(4), [`runs/${id(1)}/envelope.json`]: parent };
  const reads: string[] = [];
  const path = `runs/${id(1)}/spans.jsonl`;
  const changes = [{ path, before: null, after: { path, mode: '100644', sha: path } }];
  const found = await treeRuns({
    head: commit(files, reads),
    base: commit({}),
    folder: 'runs',
    changes,
    choice: 'changed',
  });
  expect([...(found.archives[0]?.only ?? [])]).toEqual([id(1)]);
  expect(reads.sort()).toEqual([...FILES.map((file) => `runs/${id(1)}/${file}`), `runs/${id(2)}/envelope.json`].sort());
});

test('holds a link in the place of a file, or of a run, as what it is', async () => {
  const files = { [`runs/${id(1)}/envelope.json`]: '-> /etc/passwd', [`runs/${id(2)}`]: '-> elsewhere' };
  const found = await treeRuns({ head: commit(files), base: commit({}), folder: 'runs', changes: null, choice: 'all' });
  expect([...(found.archives[0]?.files ?? [])]).toEqual([
    [`runs/${id(1)}/envelope.json`, null],
    [`runs/${id(2)}`, null],
  ]);
});
