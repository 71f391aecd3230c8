/**
 * The process that holds one agent: it loads the module that its argument names, declares what the agent is, and answers
 * one line with one line. The agent's code runs in here, so nothing in here is trusted by the process that started it.
 */
import { Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AgentCall } from '../agents/agent.js';
import { type AgentDefinition, specificationOf } from '../agents/delegate/definition.js';
import { type RunWorld, runCall } from '../agents/delegate/run-call.js';
import { type Composable, composeJson, type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { CHANNEL_FD, LIFELINE_FD } from './agent-channel.js';
import { importAgent } from './import-agent.js';
import { handOutDoors, isIsolated } from './inner-doors.js';
import { LineBuffer } from './line-buffer.js';
import { runWorld } from './run-world.js';

/** The longest text of an exception that is passed on. */
const MAX_ERROR_LENGTH = 2_000;
const MAX_STACK_LENGTH = 20_000;

/**
 * Ends the process group once the parent is gone. It runs in a thread of its own, since an agent that loops for ever
 * never lets this thread see that its pipe was closed.
 */
const LIFELINE = `
const { Socket } = require('node:net');
const end = () => { try { process.kill(-process.pid, 'SIGKILL'); } catch { process.kill(process.pid, 'SIGKILL'); } };
new Socket({ fd: ${LIFELINE_FD}, readable: true, writable: false }).on('end', end).on('close', end).on('error', end).resume();
`;

// An agent of another run would debug this one by it.
process.on('SIGUSR1', () => {});
await main(process.argv[2] ?? '');

async function main(module: string): Promise<void> {
  new Worker(LIFELINE, { eval: true }).unref();
  if (isIsolated()) {
    await handOutDoors();
    // What the agent's code finds is a process without a parent to write to.
    process.disconnect();
  }
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const definition = await load(module, channel);
  if (definition !== null) serve(channel, definition);
}

async function load(module: string, channel: Socket): Promise<AgentDefinition | null> {
  try {
    const exported = await importAgent(module);
    send(channel, composeJson({ specification: specificationOf(exported) }, { indent: 0 }));
    return exported;
  } catch (error) {
    send(channel, composeJson({ unusable: messageOf(error) }, { indent: 0 }));
    return null;
  }
}

function serve(channel: Socket, definition: AgentDefinition): void {
  const world = runWorld();
  const lines = new LineBuffer(Number.POSITIVE_INFINITY);
  channel.on('data', (chunk: Buffer) => {
    const read = lines.push(chunk);
    if (read.kind === 'line')
      void answer(parseJson(read.line, { file: '<call>' }), { definition, world }).then((line) => send(channel, line));
  });
}

/** The answering line; whatever the agent throws becomes an error in it. */
async function answer(
  message: JsonNode,
  agent: { readonly definition: AgentDefinition; readonly world: RunWorld },
): Promise<Uint8Array> {
  const id = message.get('id');
  try {
    const reply = await runCall(callOf(message), agent);
    return Buffer.concat([Buffer.from(`{"id":${id?.text() ?? 'null'},"answer":`), reply, Buffer.from('}')]);
  } catch (error) {
    const failure: Composable = {
      code: error instanceof GateError ? error.code : 'agent-threw',
      message: messageOf(error),
    };
    return composeJson({ id: id ?? null, error: failure }, { indent: 0 });
  }
}

function callOf(message: JsonNode): AgentCall {
  const [request, inputRef, inputHash, traceparent] = ['request', 'input_ref', 'input_hash', 'traceparent'].map((key) =>
    message.get(key),
  );
  if (request === undefined) throw new Error('the call has no request');
  const url = message.get('delegate_url')?.string();
  const token = message.get('delegation_token')?.string();
  const sourcesUrl = message.get('sources_url')?.string();
  const sourcesToken = message.get('sources_token')?.string();
  return {
    request,
    inputRef: inputRef?.string() ?? '',
    inputHash: inputHash?.string() ?? '',
    traceparent: traceparent?.string() ?? '',
    ...(url === undefined || token === undefined ? {} : { delegation: { url, token } }),
    ...(sourcesUrl === undefined || sourcesToken === undefined
      ? {}
      : { sources: { url: sourcesUrl, token: sourcesToken } }),
  };
}

function send(channel: Socket, line: Uint8Array): void {
  channel.write(Buffer.concat([line, Buffer.from('\n')]));
}

function messageOf(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${typeof error} instead of an Error`;
  return `${text.slice(0, MAX_ERROR_LENGTH)}${whereThrown(error)}`.toWellFormed();
}

/** File, line and column of the agent's own code where an error arose, without folders, since callers are told; empty when no frame says. */
function whereThrown(error: unknown): string {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack.slice(0, MAX_STACK_LENGTH) : '';
  const ours = dirname(fileURLToPath(import.meta.url));
  for (const [, path = '', line, column] of stack.matchAll(/^ {4}at .*?file:\/\/(\/[^()\n]*):(\d+):(\d+)\)?$/gm))
    if (!path.startsWith(`${ours}/`)) return ` (${basename(path)}:${line}:${column})`;
  return '';
}
