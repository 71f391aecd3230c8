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

/** The one data part of a message, or undefined when it has another shape. */
export function onlyDataPart(message: IncomingMessage): JsonNode | undefined {
  const parts = message.get('parts')?.items() ?? [];
  return parts.length === 1 ? parts[0]?.get('data') : undefined;
}
