import type { JsonNode } from '../json/index.js';
import { shortened } from '../model/wording.js';
import type { Dropped, Loss } from './span.js';

/** From so many attributes on, some may be missing: it is the limit at which OpenTelemetry's SDKs drop more. */
export const ATTRIBUTE_LIMIT = 128;

/** Shared by the spans that lost nothing. */
export const NO_LOSSES: readonly Loss[] = [];

/** A counter of something that was dropped, as one shape writes it. */
export interface Counter {
  readonly key: string;
  readonly what: Dropped;
}

/** What a span's counters and its number of attributes say was lost; a counter that is no number counts as a loss. */
export function countedLosses(
  span: JsonNode,
  of: { readonly counters: readonly Counter[]; readonly attributes: number },
): readonly Loss[] {
  const losses: Loss[] = [];
  for (const { key, what } of of.counters) {
    const node = span.present(key);
    const count = node === undefined ? '0' : (node.string() ?? node.lexeme() ?? node.kind);
    if (!/^0+$/.test(count)) losses.push({ kind: 'dropped', what, count: shortened(count) });
  }
  if (of.attributes >= ATTRIBUTE_LIMIT) losses.push({ kind: 'crowded', attributes: of.attributes });
  return losses.length === 0 ? NO_LOSSES : losses;
}
