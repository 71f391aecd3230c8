import { createHash } from 'node:crypto';

/** A file as a seal knows it; the path is relative to its run's folder, with '/'. */
export interface SealedFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** What sets a leaf apart from a node above it, so that neither can be passed off as the other (RFC 6962, section 2.1). */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The digest of one run: over its name and its files in the order of their paths. */
export function runLeaf(name: string, files: readonly SealedFile[]): Buffer {
  const digest = createHash('sha256').update(LEAF).update(JSON.stringify(name));
  for (const { path, size, sha256 } of inOrder(files)) digest.update(`\n${JSON.stringify([path, size, sha256])}`);
  return digest.digest();
}

/** The Merkle tree hash of RFC 6962 over leaves that are digests already; that of no leaves is the hash of nothing. */
export function merkleRoot(leaves: readonly Buffer[]): string {
  if (leaves.length === 0) return createHash('sha256').digest('hex');
  let level = leaves;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      // An odd one goes up as it is, which gives the same tree as halving at the largest power of two.
      if (left !== undefined) above.push(right === undefined ? left : nodeOf(left, right));
    }
    level = above;
  }
  return level[0]?.toString('hex') ?? '';
}

/** Sorted by path, in UTF-16 units. */
export function inOrder(files: readonly SealedFile[]): readonly SealedFile[] {
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}
