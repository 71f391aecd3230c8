import { expect, test } from 'vitest';
import type { InstallationApi } from '../../bot/jobs.js';
import { readList } from '../../bot/read-list.js';

const items = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ id: from + index }));

/** Gives a list of ids page by page; `before` may change it in front of each request. */
function listing(ids: { id: number }[], before: (request: number, ids: { id: number }[]) => void = () => {}) {
  let asked = 0;
  const api: InstallationApi = {
    async request(_route, { page = 1 } = {}) {
      asked += 1;
      before(asked, ids);
      return { status: 200, headers: {}, data: ids.slice((Number(page) - 1) * 100, Number(page) * 100) };
    },
    graphql: () => Promise.reject(new Error('not asked for')),
  };
  return { api, asked: () => asked };
}

const read = (api: InstallationApi) => readList(api, { route: 'GET /list' });

test('returns a short list after one request', async () => {
  const { api, asked } = listing(items(0, 99));
  expect(await read(api)).toEqual({ items: items(0, 99), complete: true });
  expect(asked()).toBe(1);
});

test('returns every item of several pages, read twice alike', async () => {
  const { api, asked } = listing(items(0, 250));
  expect(await read(api)).toEqual({ items: items(0, 250), complete: true });
  expect(asked()).toBe(6);
});

test('returns a list whose last page is full', async () => {
  const { api } = listing(items(0, 200));
  expect((await read(api)).items).toHaveLength(200);
});

test('returns the item that slipped to an earlier page while the list was read', async () => {
  const { api } = listing(items(0, 150), (request, ids) => {
    if (request === 2) ids.splice(0, 1);
  });
  const { items: found, complete } = await read(api);
  expect(complete).toBe(true);
  expect(found).toContainEqual({ id: 100 });
});

test('returns what it saw as incomplete when the list never holds still', async () => {
  const { api } = listing(items(0, 150), (_request, ids) => {
    ids.splice(0, 1);
    ids.push({ id: 1000 + ids.length });
  });
  expect((await read(api)).complete).toBe(false);
});

test('rejects an answer that is no list', async () => {
  const api: InstallationApi = {
    request: async () => ({ status: 200, headers: {}, data: { items: [] } }),
    graphql: () => Promise.reject(new Error('not asked for')),
  };
  await expect(read(api)).rejects.toThrow('no list');
  await expect(readList(api, { route: 'GET /list', member: 'items' })).resolves.toEqual({ items: [], complete: true });
});
