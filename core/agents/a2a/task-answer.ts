import type { JsonNode } from '../../json/index.js';

/** An artifact with one part. */
export interface OutgoingArtifact {
  readonly name: string;
  readonly part: { readonly kind: 'data'; readonly value: JsonNode } | { readonly kind: 'text'; readonly text: string };
}

/** What a server of ours answers a message with: a completed task, or a failed one whose message says `{"error"}` (contract 8). */
export type TaskAnswer =
  | { readonly kind: 'completed'; readonly artifacts: readonly OutgoingArtifact[] }
  | { readonly kind: 'failed'; readonly error: string };

/** A message as it came: read strictly from the bytes of the request, metadata included, which nothing else is shown. */
export type IncomingMessage = JsonNode;

/** A member of a message's metadata when it is a string. */
export function metadataText(message: IncomingMessage, key: string): string | undefined {
  return message.get('metadata')?.get(key)?.string();
}

/** What a part of the protocol may hold, and of which it holds one. */
const PART_CONTENTS = ['text', 'raw', 'url', 'data'] as const;

/** The content of the only part of a message or an artifact; undefined when there are more parts, or when it holds another content as well. */
export function onlyPart(holder: JsonNode | undefined, content: 'data' | 'text'): JsonNode | undefined {
  const [part, ...more] = holder?.get('parts')?.items() ?? [];
  if (part === undefined || more.length > 0) return undefined;
  // Whoever read one of two contents would not know what another reads.
  if (PART_CONTENTS.some((other) => other !== content && part.has(other))) return undefined;
  return part.get(content);
}
