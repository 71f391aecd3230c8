// A process that works on a runs folder and may be killed at any moment; bundled by support.ts. What it has done for
// certain it says on standard output, one line a fact, written at once.
import { appendFileSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { v7 } from 'uuid';
import { storeWorld } from '../../core/io/store-files.js';
import { createTreeWriter } from '../../core/io/tree-writer.js';
import { openStore, type StoreFiles } from '../../core/store/index.js';
import { sampleRun } from './sample-run.js';

const [command = '', folder = '', ...rest] = process.argv.slice(2);

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = { loop, threaded, once, hammer, hold, append };

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Writes run after run until it is killed. */
async function loop(): Promise<void> {
  say('ready');
  const { store } = await openStore(storeWorld(), folder);
  say('open');
  for (;;) {
    const id = v7();
    await store.reserve(id);
    await store.write(sampleRun(id));
    say(`stored ${id}`);
  }
}

/** Writes eight runs at a time, by the thread that writes trees, until it is killed. */
async function threaded(): Promise<void> {
  say('ready');
  const { store } = await openStore(storeWorld(createTreeWriter()), folder);
  say('open');
  const one = async (): Promise<void> => {
    const id = v7();
    await store.reserve(id);
    await store.write(sampleRun(id));
    say(`stored ${id}`);
  };
  for (;;) await Promise.all(Array.from({ length: 8 }, one));
}

/** Writes one run, or several at a time, and dies before the n-th step, or in the middle of it; says `stored` of each that is. */
async function once(): Promise<void> {
  const [id = '', step = '', moment = '', others = '0'] = rest;
  const world = storeWorld();
  const files = dyingAt(world.files, { step: Number(step), halfway: moment === 'halfway' });
  const { store } = await openStore({ ...world, files }, folder);
  const write = async (one: string): Promise<void> => {
    await store.reserve(one);
    await store.write(sampleRun(one));
    say(`stored ${one}`);
  };
  await Promise.all([id, ...Array.from({ length: Number(others) }, () => v7())].map(write));
}

/** Tries to run every id of a list, in an order of its own. */
async function hammer(): Promise<void> {
  const [list = '', turn = ''] = rest;
  const ids = readFileSync(list, 'utf8').trim().split('\n');
  const { store } = await openStore(storeWorld(), folder);
  say('open');
  const from = Math.floor((ids.length * Number(turn)) / 8);
  for (const id of [...ids.slice(from), ...ids.slice(0, from)]) {
    try {
      await store.reserve(id);
    } catch (error) {
      say(`refused ${id} ${codeOf(error)}`);
      continue;
    }
    say(`ran ${id}`);
    await store.write(sampleRun(id));
  }
  say('done');
}

/** Reserves an id and stays alive; says the code when it cannot. */
async function hold(): Promise<void> {
  const [id = ''] = rest;
  try {
    const { store } = await openStore(storeWorld(), folder);
    await store.reserve(id);
  } catch (error) {
    say(`refused ${codeOf(error)}`);
    return;
  }
  say('held');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

/** Appends more bytes to a file than this process may write; says the code. */
async function append(): Promise<void> {
  try {
    await storeWorld().files.append(folder, new Uint8Array(100_000));
    say('appended');
  } catch (error) {
    say(`refused ${codeOf(error)}`);
  }
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // the signal is on its way
}

/** The files, counting every step that changes something, and dying at one of them. */
function dyingAt(files: StoreFiles, at: { readonly step: number; readonly halfway: boolean }): StoreFiles {
  let steps = 0;
  const counted =
    <Args extends readonly [string, ...unknown[]]>(
      work: (...args: Args) => Promise<void>,
      half?: (...args: Args) => void,
    ) =>
    async (...args: Args): Promise<void> => {
      if (++steps === at.step) {
        if (at.halfway) half?.(...args);
        die();
      }
      await work(...args);
    };
  return {
    ...files,
    makeFolder: counted(files.makeFolder),
    mark: counted(files.mark),
    create: counted(files.create, (path, bytes) => writeFileSync(path, bytes.subarray(0, bytes.byteLength >> 1))),
    syncFolder: counted(files.syncFolder),
    rename: counted(files.rename),
    append: counted(files.append, (path, bytes) => appendFileSync(path, bytes.subarray(0, bytes.byteLength >> 1))),
    truncate: counted(files.truncate),
    removeFile: counted(files.removeFile),
    removeFolder: counted(files.removeFolder),
    removeTree: counted(files.removeTree),
  };
}

await COMMANDS[command]?.();
