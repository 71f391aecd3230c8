import type { Commit, ObjectStore } from './objects.js';

/** A commit and all its ancestors, newest first where history is straight. */
export function ancestors(store: ObjectStore, start: string): Map<string, Commit> {
  const found = new Map<string, Commit>();
  const pending = [start];
  for (let index = 0; index < pending.length; index += 1) {
    const sha = pending[index] ?? '';
    const commit = found.has(sha) ? undefined : store.commit(sha);
    if (commit === undefined) continue;
    found.set(sha, commit);
    pending.push(...commit.parents);
  }
  return found;
}

/** The best common ancestor of two commits, or nothing where their histories do not meet. */
export function mergeBase(store: ObjectStore, a: string, b: string): string | undefined {
  const ofA = ancestors(store, a);
  const common = [...ancestors(store, b).values()].filter((commit) => ofA.has(commit.sha));
  // Ancestors of a common ancestor are common too, so the best one is no other's parent.
  const older = new Set(common.flatMap((commit) => commit.parents));
  return common.find((commit) => !older.has(commit.sha))?.sha;
}

/** The commits of one side that the other does not have, newest first. */
export function commitsBetween(store: ObjectStore, { from, to }: { from: string; to: string }): Commit[] {
  const known = ancestors(store, from);
  return [...ancestors(store, to).values()].filter((commit) => !known.has(commit.sha));
}
