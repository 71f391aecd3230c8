import type { JsonNode } from '../json/index.js';
import type { AttributeSet } from './attributes.js';
import { ATTRIBUTES } from './names.js';
import { NO_FACTS, type SpanFacts } from './span.js';

/** The attributes by which the dialects name a model, the one that was asked or the one that answered. */
const MODEL_KEYS: ReadonlySet<string> = new Set([
  ATTRIBUTES.modelId,
  ATTRIBUTES.requestedModelId,
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.model_name',
  'llm.request.model_name',
  'llm.request.model',
  'llm.response.model',
  'ai.model.id',
  'ai.response.model',
  'langfuse.observation.model.name',
  'mlflow.llm.model',
]);

/** What stands for a name that is no text: no model has it. */
const NAMELESS = '';

/** How many combinations of names share their facts; a run mostly has one or two. */
const MEMORY = 256;

/** Whether an attribute of this name names a model. */
export function isModelKey(key: string): boolean {
  return MODEL_KEYS.has(key);
}

/** The models that a span names, each once, in ascending order. */
export function modelNames(attributes: AttributeSet): readonly string[] {
  const names = [...MODEL_KEYS].filter((key) => attributes.has(key)).map((key) => plain(attributes.text(key)));
  return inOrder(names);
}

/** The facts of spans that state nothing but models: a million of them share a few. All nodes must be of one buffer. */
export class ModelFacts {
  #known = new Map<string, SpanFacts>();

  /** The facts of a span whose models stand at some positions among its attributes. */
  at(attributes: JsonNode | undefined, positions: readonly number[]): SpanFacts {
    const nodes = (attributes?.pick(positions) ?? []).filter((node) => !node.isNull);
    return nodes.length === 0 ? NO_FACTS : this.of(nodes.map((node) => plain(node.string())));
  }

  of(names: readonly string[]): SpanFacts {
    const key = JSON.stringify(names);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const facts = { ...NO_FACTS, models: inOrder(names) };
    if (this.#known.size >= MEMORY) this.#known = new Map();
    this.#known.set(key, facts);
    return facts;
  }
}

/** MLflow writes every value as JSON, names in quotation marks. */
function plain(text: string | undefined): string {
  return text === undefined ? NAMELESS : text.replace(/^"(.*)"$/s, '$1');
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
