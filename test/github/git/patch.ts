// GitHub leaves the patch out of large files; these bounds are ours, of the same order.
const LONGEST_PATCH = 20_000;

/** Lines added and removed by a change, and the change as one hunk where both sides are short text. */
export interface Patch {
  readonly additions: number;
  readonly deletions: number;
  readonly patch?: string;
}

const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Describes the change from one content to another as a single hunk around what differs. */
export function patchOf(before: Buffer | undefined, after: Buffer | undefined): Patch {
  if (before?.includes(0) || after?.includes(0)) return { additions: 0, deletions: 0 };
  const old = lines(before?.toString('utf8') ?? '');
  const now = lines(after?.toString('utf8') ?? '');
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const counts = { additions: added.length, deletions: removed.length };
  if (added.length + removed.length === 0) return counts;
  const head = `@@ -${place(start, removed.length)} +${place(start, added.length)} @@`;
  const patch = [head, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n');
  return patch.length > LONGEST_PATCH ? counts : { ...counts, patch };
}

const place = (start: number, count: number) => `${count === 0 ? start : start + 1},${count}`;
