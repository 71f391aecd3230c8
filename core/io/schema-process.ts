import { type ChildProcess, fork } from 'node:child_process';
import { MAX_CLASS_SCHEMA_BYTES, type SchemaDocument } from '../contract/class-schema.js';
import type { SchemaChecker, SchemaRefusal, SchemaVerdict } from '../contract/ports.js';
import type { JsonNode } from '../json/index.js';
import { entryPath } from './entry.js';
import type { SchemaJob } from './schema-jobs.js';

/** Limits of the schema worker; each has a default that honest schemas stay far below. */
export interface SchemaProcessOptions {
  /** For compiling and checking one document, in milliseconds; ten times as long where the machine is too busy. */
  readonly deadlineMs?: number;
  /** Of the worker's heap, in MiB. */
  readonly memoryMb?: number;
  /** The worker's program; tests give another. */
  readonly entry?: string;
}

/** A document of more bytes fits no class: whoever sent it is refused. An agent's answer is far shorter anyway. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const TOO_LARGE: SchemaVerdict = {
  kind: 'invalid',
  faults: [{ rule: 'document-size', pointer: '', message: `is longer than ${MAX_DOCUMENT_BYTES} bytes` }],
};
/** How long a job may take on the busiest machine, in deadlines. */
const PATIENCE = 10;
/** What the parent waits beyond what the worker keeps by itself. */
const GRACE_MS = 500;
/** A busy machine may take long to start a process; this is no part of a job's deadline. */
const START_MS = 30_000;

type Waiting = { readonly kind: 'message'; readonly value: unknown } | { readonly kind: 'late' } | Gone;
type Gone = { readonly kind: 'gone'; readonly how: string };

/** The real schema checker: one child process does all jobs in turn and is replaced when a job kills it. */
export function createSchemaProcess(options: SchemaProcessOptions = {}): SchemaChecker {
  const { deadlineMs = 3000, memoryMb = 256, entry = entryPath('schema-worker') } = options;
  const patienceMs = PATIENCE * deadlineMs;
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function run(job: SchemaJob): Promise<SchemaVerdict> {
    if (closed) throw new Error('the schema checker is closed');
    if (child?.connected === false) child = undefined;
    child ??= await start({ entry, memoryMb });
    const worker = child;
    const answer = waitFor(worker, patienceMs + GRACE_MS);
    worker.send(job, () => {});
    const outcome = await answer;
    if (outcome.kind === 'message') return outcome.value as SchemaVerdict;
    child = undefined;
    worker.kill('SIGKILL');
    return outcome.kind === 'late'
      ? refused('deadline', `gave no answer within ${patienceMs} ms`)
      : refused('died', `the worker ended while it was at work (${outcome.how}), for lack of memory as a rule`);
  }

  /** One job at a time, so that a deadline measures one job and a death has one cause. */
  function queue(schema: SchemaDocument, document?: JsonNode): Promise<SchemaVerdict> {
    const bytes = schema.schema.raw();
    if (bytes.length > MAX_CLASS_SCHEMA_BYTES)
      return Promise.resolve(refused('too-large', `is longer than ${MAX_CLASS_SCHEMA_BYTES} bytes`));
    const checked = document?.raw();
    if (checked !== undefined && checked.length > MAX_DOCUMENT_BYTES) return Promise.resolve(TOO_LARGE);
    const job = { deadlineMs, patienceMs, schema: bytes, ...(checked === undefined ? {} : { document: checked }) };
    const verdict = last.then(() => run(job));
    last = verdict.catch(() => {});
    return verdict;
  }

  return {
    compile: (schema) => queue(schema),
    validate: ({ schema, document }) => queue(schema, document),
    async close() {
      closed = true;
      await last;
      if (child === undefined) return;
      const gone = waitFor(child, START_MS);
      child.kill('SIGKILL');
      child = undefined;
      await gone;
    },
  };
}

/** A clean environment and no output: what a schema brings about is nobody else's business. */
async function start({
  entry,
  memoryMb,
}: {
  readonly entry: string;
  readonly memoryMb: number;
}): Promise<ChildProcess> {
  const child = fork(entry, [], {
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const first = await waitFor(child, START_MS);
  if (first.kind !== 'message') {
    child.kill('SIGKILL');
    throw new Error(`the schema worker ${entry} did not start (${first.kind === 'gone' ? first.how : first.kind})`);
  }
  // An idle worker must not keep the command line alive; a pending job does, by its timer.
  child.unref();
  child.channel?.unref();
  return child;
}

function waitFor(child: ChildProcess, ms: number): Promise<Waiting> {
  return new Promise((resolve) => {
    const settle = (outcome: Waiting) => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      resolve(outcome);
    };
    const onMessage = (value: unknown) => settle({ kind: 'message', value });
    const onExit = (code: number | null, signal: string | null) =>
      settle({ kind: 'gone', how: signal ?? `exit code ${code}` });
    const onError = (error: Error) => settle({ kind: 'gone', how: error.message });
    const timer = setTimeout(() => settle({ kind: 'late' }), ms);
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
  });
}

function refused(reason: SchemaRefusal, message: string): SchemaVerdict {
  return { kind: 'refused', reason, message };
}
