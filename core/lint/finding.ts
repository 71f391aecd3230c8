import type { Span } from '../trace/index.js';
import type { Citation, Pair } from './citation.js';
import type { Finding, Spot } from './rule.js';

// All findings name every member, so that they are of one shape: what reads them is hot where many runs fail.

/** A fault of a span. */
export function spanFinding(message: string, span: Span | undefined): Finding {
  return { message, cited: undefined, span, spot: undefined };
}

/** A fault of a value in the envelope; without a spot, of the envelope as a whole. */
export function spotFinding(message: string, spot: Spot | undefined): Finding {
  return { message, cited: undefined, span: undefined, spot };
}

/** A fault of a reference or of an item of evidence. */
export function citedFinding(message: string, citation: Citation): Finding {
  return { message, cited: citation, span: undefined, spot: citation };
}

/** A fault with whatever it names: a source, a span, a value in the envelope. */
export function findingAt(
  message: string,
  at: { readonly cited: Pair | undefined; readonly span?: Span; readonly spot?: Spot | undefined },
): Finding {
  return { message, cited: at.cited, span: at.span, spot: at.spot };
}
