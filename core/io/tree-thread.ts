import { parentPort } from 'node:worker_threads';
import { writeTree } from '../store/staging.js';
import { storeFiles } from './store-files.js';
import type { TreeAnswer, TreeJob } from './tree-writer.js';

/** Writes the trees that tree-writer.ts hands over. */
const port = parentPort;
if (port === null) throw new Error('tree-thread runs in a worker thread only');

/** All their files are open at the same time, and a process may have no more than some hundred of them. */
const TREES_AT_ONCE = 16;

const files = storeFiles();
const waiting: TreeJob[] = [];
let busy = false;

port.on('message', async (jobs: readonly TreeJob[]) => {
  waiting.push(...jobs);
  if (busy) return;
  busy = true;
  while (waiting.length > 0) {
    const now = waiting.splice(0, TREES_AT_ONCE);
    await Promise.all(now.map(async (job) => port.postMessage((await answerTo(job)) satisfies TreeAnswer)));
  }
  busy = false;
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
