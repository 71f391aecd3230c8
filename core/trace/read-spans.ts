import { bufferOf, type JsonNode, parseJsonSequence } from '../json/index.js';
import { ShapeFacts } from '../json/shapes.js';
import { gateError } from '../model/error-codes.js';
import { Classifier } from './classify.js';
import { otlpSpans } from './otlp-spans.js';
import { misshapen } from './refusals.js';
import { refuseMixture, type SpanShape, shapeOf } from './sniff.js';
import type { Span } from './span.js';
import { type MemberPlan, memberPlan, ToJsonReader } from './to-json-spans.js';

/**
 * Reads a span file: one object a line, or objects one behind the other as a console exporter prints them; each is a
 * span in the shape of contract 4 or OTLP/JSON, and all are of one shape. Throws a `GateError` of blame `unreadable` for
 * what contract 9 calls unreadable: `json-*`, `spans-empty`, `spans-shape`, `spans-mixed`, `span-malformed`,
 * `span-time`, `span-attribute-twice`. All else that is wrong with a span is kept in it, for G0 to report.
 */
export function readSpans(bytes: Uint8Array, options: { readonly file: string }): Span[] {
  // Strings are cut out of a Buffer without a wrapper for each.
  const buffer = bufferOf(bytes);
  const reader = new ToJsonReader(classifier);
  const spans: Span[] = [];
  let before: SpanShape | undefined;
  for (const node of parseJsonSequence(buffer, options)) {
    if (node.kind !== 'object') throw misshapen(node, 'the file holds something that is not an object');
    let plan = plans.recall(node.document, node.index);
    if (plan === undefined) {
      plan = planOf(node);
      plans.learn(node.document, node.index, plan);
    }
    refuseMixture(node, { before: before ?? plan.shape, now: plan.shape });
    before = plan.shape;
    if (plan.shape === 'to_json') spans.push(reader.read(node, plan.members));
    else for (const span of otlpSpans(node, classifier)) spans.push(span);
  }
  if (spans.length === 0) throw emptyFile(options.file);
  return spans;
}

/** Kept from file to file: the runs of an archive hold spans of the same few kinds. */
const classifier = new Classifier();
const plans = new ShapeFacts<ObjectPlan>();

/** What the keys of an object say: its shape, and where its members stand. */
interface ObjectPlan {
  readonly shape: SpanShape;
  readonly members: MemberPlan;
}

function planOf(node: JsonNode): ObjectPlan {
  return { shape: shapeOf(node), members: memberPlan(node) };
}

function emptyFile(file: string): Error {
  return gateError('spans-empty', {
    blame: 'unreadable',
    message: 'the span file holds no span',
    remedy: 'give the spans.jsonl of a finished run',
    place: { file },
  });
}
