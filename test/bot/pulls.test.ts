import { expect, test } from 'vitest';
import { pullsOfHead } from '../../bot/github/pulls.js';
import { TryAgain } from '../../bot/jobs.js';
import { dataOf, type GitHubApi } from '../../core/index.js';

const HEAD = 'a'.repeat(40);

const pull = (number: number, sha: string) => ({
  number,
  state: 'open',
  head: { sha, repo: { id: 1 } },
  base: { ref: 'main' },
});

/** A repository with 150 open pull requests, of which the last has the head; `closes` says after which readings of a first page one is closed. */
function github(closes: (reading: number) => boolean): { api: GitHubApi; readings(): number } {
  let open = Array.from({ length: 150 }, (_, i) => pull(i + 1, i === 100 ? HEAD : 'b'.repeat(40)));
  let readings = 0;
  const api: GitHubApi = {
    async call({ parameters }) {
      const page = Number(parameters?.['page']);
      const items = open.slice((page - 1) * 100, page * 100);
      if (page === 1 && closes(++readings)) open = open.slice(1);
      return { kind: 'ok', data: dataOf(items) };
    },
    download: () => Promise.reject(new Error('nothing is downloaded')),
  };
  return { api, readings: () => readings };
}

const found = async (api: GitHubApi): Promise<readonly number[]> => {
  const repository = { owner: 'octo', repo: 'agents' };
  return (await pullsOfHead({ api, repository }, HEAD)).map(({ number }) => number);
};

test('finds a pull request that slips to a page which was read already, since another was closed in between', async () => {
  const { api, readings } = github((reading) => reading === 1);
  expect(await found(api)).toEqual([101]);
  expect(readings()).toBe(3);
});

test('reads a list that holds still twice', async () => {
  const { api, readings } = github(() => false);
  expect(await found(api)).toEqual([101]);
  expect(readings()).toBe(2);
});

test('gives up for now where the list never holds still', async () => {
  const { api } = github(() => true);
  await expect(found(api)).rejects.toThrow(TryAgain);
});
