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

/** How many combinations of names share their facts, and how long they may be; the runs of an archive have a few. */
const MEMORY = 256;
const LONGEST = 1024;

/** Whether an attribute of this name names a model. */
export function isModelKey(key: string): boolean {
  return MODEL_KEYS.has(key);
}

/** The models that a span names, each once, in ascending order. */
export function modelNames(attributes: AttributeSet): readonly string[] {
  const names = [...MODEL_KEYS].filter((key) => attributes.has(key)).map((key) => plain(attributes.text(key)));
  return inOrder(names);
}

type KnownFacts = Map<string, SpanFacts>;

/** Kept from file to file: the facts of one name by that name, and those of several by all of them, since the keys might be alike. */
const single: KnownFacts = new Map();
const several: KnownFacts = new Map();

/** The facts of spans that state nothing but models: a million of them share a few. All nodes must be of one file. */
export class ModelFacts {
  /** Those of longer names, which are let go with the file. */
  readonly #long: KnownFacts = new Map();

  /** The facts of a span whose models stand at some positions among its attributes. */
  at(attributes: JsonNode | undefined, positions: readonly number[]): SpanFacts {
    if (attributes === undefined) return NO_FACTS;
    const names: string[] = [];
    for (const node of attributes.pick(positions)) if (!node.isNull) names.push(plain(node.word()));
    const [first, ...others] = names;
    if (first === undefined) return NO_FACTS;
    if (others.length === 0 && first.length <= LONGEST) return factsIn(single, { key: first, names });
    const key = JSON.stringify(names);
    return factsIn(key.length <= LONGEST ? several : this.#long, { key, names });
  }
}

function factsIn(
  known: KnownFacts,
  { key, names }: { readonly key: string; readonly names: readonly string[] },
): SpanFacts {
  const found = known.get(key);
  if (found !== undefined) return found;
  const facts = { ...NO_FACTS, models: inOrder(names) };
  if (known.size >= MEMORY) known.clear();
  known.set(key, facts);
  return facts;
}

/** MLflow writes every value as JSON, names in quotation marks. */
function plain(text: string | undefined): string {
  if (text === undefined) return NAMELESS;
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
