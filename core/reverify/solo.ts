import { type JsonNode, parseJson } from '../json/index.js';
import { judge, readEnvelope } from '../lint/index.js';
import { GateError, messageOf } from '../model/errors.js';
import type { GroundingReport, SourcesReport } from '../model/report.js';
import type { Tampering } from '../model/stored-run.js';
import { sourcesText } from '../report/sources-text.js';
import { checkEvidence, evidenceItems, type SourceCopies } from '../sources/index.js';
import type { RunContents } from '../store/index.js';
import { readSpans, type Span } from '../trace/index.js';
import { type CitedPin, citedPins } from './cited-pins.js';
import { rootOf, testInputHash, testTraceId } from './own-tests.js';
import { testGroundingText, textOf } from './texts.js';
import { callsItselfViolation, isWithheld } from './withheld.js';

/** A delegation that an envelope records, as far as contract 10 asks for it. */
export interface RecordedChild {
  readonly childId: string;
  /** Null when the delegation states none that is a string. */
  readonly contentHash: string | null;
}

/** What a run's own files say, before its index line and its children are looked at; plain data. */
export interface SoloVerdict {
  readonly kind: 'judged';
  readonly invocationId: string | null;
  readonly children: readonly RecordedChild[];
  readonly tampering: readonly Tampering[];
  readonly withheld: boolean;
  readonly grounding: GroundingReport;
  /** Before `--unresolved` is applied. */
  readonly sources: SourcesReport;
  readonly sourcesDrift: boolean;
  readonly pins: readonly CitedPin[];
}

/** A run that could not be read, with the reason on one line. */
export interface UnreadableRun {
  readonly kind: 'unreadable';
  readonly error: string;
}

/** What is read of a run before anything is judged. */
interface ReadRun {
  readonly envelope: JsonNode;
  readonly spans: readonly Span[];
  readonly request: JsonNode | null;
}

/**
 * Judges one run by its own files (contracts 5, 6 and 10). Whatever is wrong with them is a verdict; throws only when a
 * source copy is no longer the pinned one, which is nothing that a run can bring about.
 */
export function judgeSolo(
  run: { readonly name: string; readonly contents: RunContents },
  copies: SourceCopies,
): SoloVerdict | UnreadableRun {
  const read = attemptRead(run);
  if ('kind' in read) return read;
  const { envelope, spans, request } = read;
  const grounding = judge(spans, envelope);
  const items = evidenceItems(envelope);
  const sources = checkEvidence({ envelope, items }, copies);
  const withheld = isWithheld(envelope, run.contents);
  const holds = grounding.passed && sources.passed;
  return {
    kind: 'judged',
    invocationId: envelope.get('invocation_id')?.string() ?? null,
    children: childrenOf(envelope),
    tampering: tamperingOf(
      { envelope, spans, request },
      withheld ? [] : testGroundingText(run.contents.grounding, grounding),
    ),
    withheld: withheld || (holds && callsItselfViolation(envelope)),
    grounding,
    sources,
    sourcesDrift: !withheld && differs(run.contents.sources, sources),
    pins: citedPins(items, copies),
  };
}

function tamperingOf({ envelope, spans, request }: ReadRun, text: readonly Tampering[]): readonly Tampering[] {
  const root = rootOf(spans);
  if (root === undefined) return text;
  return [testInputHash(root, request), testTraceId(root, envelope), ...text].filter((found) => found !== null);
}

function attemptRead({
  name,
  contents,
}: {
  readonly name: string;
  readonly contents: RunContents;
}): ReadRun | UnreadableRun {
  const missing = contents.envelope === undefined ? 'envelope.json' : 'spans.jsonl';
  if (contents.envelope === undefined || contents.spans === undefined)
    return { kind: 'unreadable', error: `${name}/${missing}: no such file [input-missing]` };
  try {
    return {
      envelope: readEnvelope(contents.envelope, { file: `${name}/envelope.json` }),
      spans: readSpans(contents.spans, { file: `${name}/spans.jsonl` }),
      request: contents.request === undefined ? null : parseJson(contents.request, { file: `${name}/request.json` }),
    };
  } catch (error) {
    return unreadable(error);
  }
}

/** An error about one run as its verdict; anything but a GateError is ours, and says so, but does not stop the rest. */
export function unreadable(error: unknown): UnreadableRun {
  if (error instanceof GateError) return { kind: 'unreadable', error: error.describe() };
  const message = messageOf(error);
  return { kind: 'unreadable', error: `the run could not be judged, which is a bug: ${message} [internal]` };
}

/** Every recorded delegation that names its child; one that does not is reported by nothing (contract 5). */
function childrenOf(envelope: JsonNode): RecordedChild[] {
  const children: RecordedChild[] = [];
  for (const item of envelope.get('delegations')?.items() ?? []) {
    const childId = item.get('delegated_invocation_id')?.string();
    if (childId === undefined || childId === '') continue;
    children.push({ childId, contentHash: item.get('content_hash')?.string() ?? null });
  }
  return children;
}

function differs(stored: Uint8Array | undefined, sources: SourcesReport): boolean {
  return stored !== undefined && textOf(stored).trimEnd() !== sourcesText(sources).trimEnd();
}
