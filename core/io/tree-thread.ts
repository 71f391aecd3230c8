import { fsyncSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { writeTree } from '../store/staging.js';
import { storeFiles } from './store-files.js';
import type { TreeAnswer, TreeJob } from './tree-writer.js';

/** Writes the trees that tree-writer.ts hands over. */
const port = parentPort;
if (port === null) throw new Error('tree-thread runs in a worker thread only');

/** Nothing else waits in this thread, and what is written before the first sync reaches the disk with it. */
const files = storeFiles(async (file) => fsyncSync(file));

port.on('message', ({ job, folders, files: parts, bytes }: TreeJob) => {
  const tree = {
    folders,
    files: parts.map(({ path, from, to }) => ({ path, bytes: bytes.subarray(from, to) })),
  };
  writeTree(files, tree).then(
    () => answer({ job }),
    (error: unknown) => answer({ job, failure: failureOf(error) }),
  );
});

function answer(answer: TreeAnswer): void {
  port?.postMessage(answer);
}

function failureOf(error: unknown): NonNullable<TreeAnswer['failure']> {
  const { message, code, path }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return { message, ...(code !== undefined && { code }), ...(path !== undefined && { path }) };
}
