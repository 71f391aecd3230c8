import { assertNever } from '../model/assert-never.js';
import type { GroundingMode } from '../model/report.js';
import { quoted } from '../model/wording.js';
import type { Loss, Span } from '../trace/index.js';
import type { Facts, Finding } from './rule.js';

/** The modes in which a call that nothing explains is not let pass: they allow no calls but those that are known. */
const CLOSED_WORLD: ReadonlySet<GroundingMode> = new Set(['none', 'input_only', 'delegation']);

/** Whether the envelope's mode allows only what the dialects know. */
export function isClosedWorld(mode: GroundingMode | null): boolean {
  return mode !== null && CLOSED_WORLD.has(mode);
}

/** Spans whose signs contradict each other, and, in the modes that close the world, calls that nothing explains. */
export function recognitionFindings({ mode, tree }: Facts): readonly Finding[] {
  const contradictory = tree.spans.filter(({ recognition }) => recognition.conflict !== null).map(contradiction);
  return isClosedWorld(mode) ? contradictory.concat(tree.unexplained.map(unexplained)) : contradictory;
}

function contradiction(span: Span): Finding {
  const [one, other] = span.recognition.conflict ?? ['', ''];
  const message = `the signs of span ${quoted(span.spanId)} contradict each other: ${one} and ${other}`;
  return { message, span };
}

function unexplained(span: Span): Finding {
  return {
    message: `span ${quoted(span.spanId)}, named ${quoted(span.name)}, calls somebody (kind ${quoted(span.kind ?? '')}): it is no step that is known, and stands below none that would explain it`,
    span,
  };
}

/** Spans of which something was dropped, or may have been; an unsampled trace is one finding, not one for each span. */
export function lossFindings({ tree }: Facts): readonly Finding[] {
  const findings: Finding[] = [];
  const unsampled: Span[] = [];
  for (const span of tree.spans) {
    for (const loss of span.facts.losses ?? []) {
      if (loss.kind === 'unsampled') unsampled.push(span);
      else findings.push({ message: `span ${quoted(span.spanId)} ${lossText(loss)}`, span });
    }
  }
  const [first] = unsampled;
  if (first !== undefined)
    findings.push({
      message: `the trace was not sampled whole: span ${quoted(first.spanId)} and ${unsampled.length - 1} others are marked as not sampled`,
      span: first,
    });
  return findings;
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
