import type { JsonNode } from '../json/index.js';
import type { Place } from '../model/violation.js';

const LINE_FEED = 0x0a;

/**
 * The places of nodes of one document, given in its order, in one pass over its bytes: an envelope may hold a hundred
 * thousand faults, and asking each node alone would read the document from its start every time.
 */
export function placesInOrder(nodes: readonly JsonNode[]): readonly Place[] {
  let line = 0;
  let column = 1;
  let at = -1;
  return nodes.map((node) => {
    const { bytes, from, origin } = node.document;
    if (at === -1) {
      line = origin.firstLine;
      at = from;
    }
    for (
      let feed = bytes.indexOf(LINE_FEED, at);
      feed !== -1 && feed < node.start;
      feed = bytes.indexOf(LINE_FEED, at)
    ) {
      line += 1;
      column = 1;
      at = feed + 1;
    }
    column += Buffer.from(bytes.buffer, bytes.byteOffset + at, node.start - at).toString('utf8').length;
    at = node.start;
    return { file: origin.file, line, column };
  });
}
