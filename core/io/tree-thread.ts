import { fsyncSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { writeTree } from '../store/staging.js';
import { storeFiles } from './store-files.js';
import type { TreeAnswer, TreeJob } from './tree-writer.js';

/** Writes the trees that tree-writer.ts hands over. */
const port = parentPort;
if (port === null) throw new Error('tree-thread runs in a worker thread only');

/** All that came together is written before the first file of it is waited for: most of it reaches the disk with that one. */
let written = Promise.resolve();
const files = storeFiles(async (file) => {
  await written;
  fsyncSync(file);
});

port.on('message', async (jobs: readonly TreeJob[]) => {
  written = setImmediate();
  port.postMessage(await Promise.all(jobs.map(answerTo)));
});

async function answerTo({ job, folders, files: parts, bytes }: TreeJob): Promise<TreeAnswer> {
  const tree = {
    folders,
    files: parts.map(({ path, from, to }) => ({ path, bytes: bytes.subarray(from, to) })),
  };
  try {
    await writeTree(files, tree);
    return { job };
  } catch (error) {
    return { job, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): NonNullable<TreeAnswer['failure']> {
  const { message, code, path }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
  return { message, ...(code !== undefined && { code }), ...(path !== undefined && { path }) };
}
