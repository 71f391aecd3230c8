import type { InstallationApi } from './jobs.js';
import { member } from './member.js';

const PER_PAGE = 100;
/** Pages of one list: 100,000 items, more than GitHub keeps open pull requests of anyone. */
const MOST_PAGES = 1000;
/** A list of several pages is read until it reads the same twice. */
const MOST_READINGS = 3;

/** A list that GitHub gives page by page. */
export interface ListRequest {
  readonly route: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Where an answer keeps its items when it is an object. */
  readonly member?: string;
}

/** What a list held; `complete` is false when it would not hold still, so that an item may have been missed. */
export interface WholeList {
  readonly items: readonly unknown[];
  readonly complete: boolean;
}

/**
 * Every item of a list. While pages are asked for, items come and go and others slip from one page to the one before it, unseen:
 * a list of more than one page counts as complete when two readings name the same items. Items have an `id`.
 */
export async function readList(api: InstallationApi, request: ListRequest): Promise<WholeList> {
  const found = new Map<unknown, unknown>();
  let before: string | null = null;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const { items, pages } = await readOnce(api, request);
    for (const item of items) found.set(member(item, 'id'), item);
    const ids = items.map((item) => String(member(item, 'id'))).join();
    if (pages === 1 || ids === before) return { items: [...found.values()], complete: pages < MOST_PAGES };
    before = ids;
  }
  return { items: [...found.values()], complete: false };
}

async function readOnce(
  api: InstallationApi,
  { route, parameters, member: name }: ListRequest,
): Promise<{ readonly items: readonly unknown[]; readonly pages: number }> {
  const items: unknown[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { data } = await api.request(route, { ...parameters, per_page: PER_PAGE, page });
    const some = name === undefined ? data : member(data, name);
    if (!Array.isArray(some)) throw new Error(`the answer to ${route} is no list`);
    items.push(...some);
    if (some.length < PER_PAGE) return { items, pages: page };
  }
  return { items, pages: MOST_PAGES };
}
