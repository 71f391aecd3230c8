import type { Door } from '../conductor/doors.js';
import type { Seen } from '../conductor/witness.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { ATTRIBUTES, InstantReader, SPAN_NAMES } from '../trace/index.js';
import type { RecordedRun } from './recording.js';

/** Nobody holds this token; an agent that gave its own away is replayed with it. */
const NO_TOKEN = 'a-token-of-a-replay';

/**
 * A door that serves nothing and reports once more what the doors saw then, so that the conductor's own spans come out as
 * they were. Whether anything was served is the recording's word.
 */
export function replayDoor({ ownSpans, reply }: RecordedRun): Door {
  const spans = ownSpans.map((line) => parseJson(Buffer.from(line), { file: 'own spans' }));
  const wasOpen = attributeOf(spans[0], ATTRIBUTES.witnessedSpans) !== undefined;
  const shown = reply.kind === 'showed-token';
  return {
    async open({ witness }) {
      if (!wasOpen && !shown) return null;
      for (const seen of spans.flatMap((span) => seenIn(span))) witness.note(seen);
      return {
        ...(shown ? { sources: { url: 'urn:grounding-gate:replay', token: NO_TOKEN } } : {}),
        close: async () => {},
      };
    },
  };
}

function seenIn(span: JsonNode): readonly Seen[] {
  if (attributeOf(span, ATTRIBUTES.witnessed) === undefined) return [];
  const text = (name: string): string | null => attributeOf(span, name)?.string() ?? null;
  const count = (name: string): number | null => attributeOf(span, name)?.integer() ?? null;
  const times = { startNs: instantOf(span, 'start_time'), endNs: instantOf(span, 'end_time') };
  if (span.get('name')?.string() === SPAN_NAMES.retrieval) {
    const [sourceId, contentHash] = [text(ATTRIBUTES.sourceId) ?? '', text(ATTRIBUTES.contentHash) ?? ''];
    return [{ kind: 'retrieval', ...times, sourceId, contentHash, snapshotRef: text(ATTRIBUTES.snapshotRef) ?? '' }];
  }
  const modelId = text(ATTRIBUTES.modelId);
  return [
    {
      kind: 'chat',
      ...times,
      modelId,
      requestedModelId: text(ATTRIBUTES.requestedModelId) ?? modelId,
      inputTokens: count(ATTRIBUTES.inputTokens),
      outputTokens: count(ATTRIBUTES.outputTokens),
      failure: failureOf(span),
    },
  ];
}

/** A failure without a description is one all the same. */
function failureOf(span: JsonNode): string | null {
  const status = span.get('status');
  return status?.get('status_code')?.string() === 'ERROR' ? (status.get('description')?.string() ?? '') : null;
}

function attributeOf(span: JsonNode | undefined, name: string): JsonNode | undefined {
  return span?.get('attributes')?.get(name);
}

function instantOf(span: JsonNode, member: string): bigint {
  return new InstantReader().read(span.get(member)?.string() ?? '') ?? 0n;
}
