import { composeJson, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { ATTRIBUTES, readSpans, type Span } from '../trace/index.js';
import { type Draft, failedDraft } from './draft.js';
import type { AgentRun } from './run-agent.js';
import type { RunContext } from './run-context.js';

/** A run whose trace is closed: the bytes of `spans.jsonl` and the spans as the linter reads them from these bytes. */
export interface FiledRun {
  readonly draft: Draft;
  readonly bytes: Uint8Array;
  readonly spans: readonly Span[];
}

/**
 * Ends the run's trace and files the agent's spans behind the conductor's own, whatever trace id they claim: a foreign
 * one is the linter's to find (contract 7). Where one span cannot be read the run is an `agent-error` and none is filed.
 */
export function fileSpans({ accepted, trace, witness, witnessed }: RunContext, { draft, spans }: AgentRun): FiledRun {
  const lines = readableLines(spans);
  const unreadable = typeof lines === 'string';
  const detail = `the agent sent a span that cannot be read: ${unreadable ? lines : ''}`;
  const { invocationId } = accepted;
  const settled = unreadable ? failedDraft('agent-error', { detail, invocationId, keep: draft }) : draft;
  const counted = witness.offered || witnessed ? { [ATTRIBUTES.witnessedSpans]: witness.count } : {};
  const own = trace.finish({ [ATTRIBUTES.outcome]: settled.status, ...counted });
  const bytes = encode([...own, ...(unreadable ? [] : lines)]);
  return { draft: settled, bytes, spans: readSpans(bytes, { file: 'spans.jsonl' }) };
}

/** The spans as lines of a span file, or why one of them cannot be one (contract 9, exit 2). */
function readableLines(spans: readonly string[]): readonly string[] | string {
  try {
    const lines = spans.map(lineOf);
    if (lines.length > 0) readSpans(encode(lines), { file: 'spans of the agent' });
    return lines;
  } catch (error) {
    if (error instanceof GateError && error.blame === 'unreadable') return error.describe();
    throw error;
  }
}

/** One line a span; a pretty-printed one is written more tightly, which changes no value in it. */
function lineOf(text: string, index: number): string {
  const file = `span ${index + 1} of the agent`;
  if (LONE_SURROGATE.test(text)) {
    const message = 'the text holds one half of a surrogate pair';
    throw gateError('json-lone-surrogate', { blame: 'unreadable', message, place: { file } });
  }
  // Read one by one: read as a file, the pieces of one span would pass for lines that none of them is.
  const node = parseJson(Buffer.from(text), { file });
  if (node.has('resourceSpans')) {
    const message = 'this is OTLP/JSON (resourceSpans), and an agent sends its spans as the Python SDK writes them';
    throw gateError('span-malformed', { blame: 'unreadable', message, place: { file } });
  }
  return text.includes('\n') ? Buffer.from(composeJson(node, { indent: 0 })).toString('utf8') : text;
}

/** Such text has no UTF-8: what would be filed is not what the agent sent. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

function encode(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
}
