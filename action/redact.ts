import { type Composable, composeJson, GateError, type JsonNode, parseJson } from '../core/index.js';

/** The files of a stored run that may be shown once what they must not tell is taken out of them. */
const SHOWN = ['envelope.json', 'grounding.txt', 'sources.txt'];

/** In an artifact, says that what was left out was left out on purpose, so that nobody judges it again. */
export const REDACTED_FILE = 'REDACTED.txt';
export const REDACTED_TEXT =
  'Payloads, inputs and principals were left out of this artifact, and with them requests, spans, crates and the index.\n' +
  'It cannot be judged again. Set the input redact to false to store whole runs.\n';

/**
 * A file of a run as it may leave a public repository's job, or null when it may not: requests, crates and the index hold the input
 * and whom it was for, and an agent's spans may hold anything.
 */
export function redactedFile(name: string, bytes: Uint8Array): Uint8Array | null {
  if (!SHOWN.includes(name)) return null;
  return name === 'envelope.json' ? redactedEnvelope(bytes) : bytes;
}

function redactedEnvelope(bytes: Uint8Array): Uint8Array | null {
  try {
    const envelope = parseJson(bytes, { file: 'envelope.json' });
    const kept = envelope.entries().flatMap(([key, value]): [string, Composable][] => {
      if (key === 'payload' || key === 'acting_for') return [];
      return [[key, key === 'evidence' ? value.items().map(withoutContent) : value]];
    });
    return composeJson(new Map(kept));
  } catch (error) {
    // What cannot be read cannot be searched for what must stay inside.
    if (error instanceof GateError) return null;
    throw error;
  }
}

/** An item's content may be the very input. */
function withoutContent(item: JsonNode): Composable {
  return item.kind === 'object' ? new Map(item.entries().filter(([key]) => key !== 'content')) : null;
}
