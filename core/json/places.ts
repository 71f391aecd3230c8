import type { Place } from '../model/violation.js';
import type { JsonNode } from './node.js';
import { utf8Text } from './strings.js';

const LINE_FEED = 0x0a;

/**
 * The places of many nodes of one document, in one pass over its bytes: asking each node by itself would read the
 * document from its start every time, and a hostile payload may hold a hundred thousand faults.
 */
export function placesOf(nodes: readonly JsonNode[]): ReadonlyMap<JsonNode, Place> {
  const places = new Map<JsonNode, Place>();
  const inOrder = [...nodes].sort((a, b) => a.start - b.start);
  const first = inOrder[0];
  if (first === undefined) return places;
  const { bytes, from, origin } = first.document;
  const { file } = origin;
  let line = origin.firstLine;
  let column = 1;
  let at = from;
  let feed = bytes.indexOf(LINE_FEED, at);
  for (const node of inOrder) {
    for (; feed !== -1 && feed < node.start; feed = bytes.indexOf(LINE_FEED, at)) {
      line++;
      column = 1;
      at = feed + 1;
    }
    column += utf8Text(bytes, { from: at, to: node.start }).length;
    at = node.start;
    places.set(node, { file, line, column });
  }
  return places;
}
