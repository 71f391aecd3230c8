import { assertNever } from '../model/assert-never.js';
import type { GroundingMode } from '../model/report.js';
import { quoted } from '../model/wording.js';
import type { Loss, Span } from '../trace/index.js';
import { spanFinding } from './finding.js';
import type { Facts, Finding } from './rule.js';

/** The modes in which a call that nothing explains is not let pass: they allow no calls but those that are known. */
const CLOSED_WORLD: ReadonlySet<GroundingMode> = new Set(['none', 'input_only', 'delegation']);

/** Whether the envelope's mode allows only what the dialects know. */
export function isClosedWorld(mode: GroundingMode | null): boolean {
  return mode !== null && CLOSED_WORLD.has(mode);
}

/** Spans whose signs contradict each other, and, in the modes that close the world, calls that nothing explains. */
export function addRecognitionFindings({ mode, tree }: Facts, found: Finding[]): void {
  for (const span of tree.spans) if (span.recognition.conflict !== null) found.push(contradiction(span));
  if (isClosedWorld(mode)) for (const span of tree.unexplained) found.push(unexplained(span));
}

function contradiction(span: Span): Finding {
  const [one, other] = span.recognition.conflict ?? ['', ''];
  const message = `the signs of span ${quoted(span.spanId)} contradict each other: ${one} and ${other}`;
  return spanFinding(message, span);
}

function unexplained(span: Span): Finding {
  return spanFinding(
    `span ${quoted(span.spanId)}, named ${quoted(span.name)}, calls somebody (kind ${quoted(span.kind ?? '')}): it is no step that is known, and stands below none that would explain it`,
    span,
  );
}

/** Spans of which something was dropped, or may have been; an unsampled trace is one finding, not one for each span. */
export function addLossFindings({ tree }: Facts, found: Finding[]): void {
  let first: Span | undefined;
  let unsampled = 0;
  for (const span of tree.spans) {
    const { losses } = span.facts;
    if (losses === undefined) continue;
    for (const loss of losses) {
      if (loss.kind !== 'unsampled') found.push(spanFinding(`span ${quoted(span.spanId)} ${lossText(loss)}`, span));
      else if (unsampled++ === 0) first = span;
    }
  }
  if (first === undefined) return;
  const others = `span ${quoted(first.spanId)} and ${unsampled - 1} others are marked as not sampled`;
  found.push(spanFinding(`the trace was not sampled whole: ${others}`, first));
}

function lossText(loss: Exclude<Loss, { readonly kind: 'unsampled' }>): string {
  switch (loss.kind) {
    case 'dropped':
      return `dropped ${loss.count} of its ${loss.what}`;
    case 'crowded':
      return `carries ${loss.attributes} attributes, so that others may have been dropped`;
    default:
      return assertNever(loss);
  }
}
