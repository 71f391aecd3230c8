import type { AttributeSet } from './attributes.js';
import { documentsOf } from './documents.js';
import { modelNames } from './model-names.js';
import { ATTRIBUTES, CONDUCTOR_ATTRIBUTES, RESERVED_ATTRIBUTES } from './names.js';
import type { Recognition } from './recognition.js';
import { type Loss, NO_FACTS, type SpanFacts } from './span.js';

/** What the facts of a span are read from. */
export interface FactsInit {
  readonly recognition: Recognition;
  readonly attributes: AttributeSet;
  readonly malformed: readonly string[];
  readonly losses: readonly Loss[];
  /** Whether the conductor's attributes may be among them. */
  readonly mayConduct: boolean;
  /** Whether documents may be among the attributes. */
  readonly listsDocuments: boolean;
  /** Whether names of models may be among the attributes. */
  readonly namesModels: boolean;
}

/** Whether the models that a span names are asked for: those of a model call, and of an agent that states the use of one. */
export function namesModels({ claims, modelUse }: Recognition): boolean {
  return modelUse !== null || claims.includes('chat');
}

/** Reads what the rules ask of a span's attributes; the shared `NO_FACTS` when there is nothing. */
export function factsOf({ recognition, attributes, malformed, losses, ...may }: FactsInit): SpanFacts {
  const conductorAttributes = may.mayConduct ? CONDUCTOR_ATTRIBUTES.filter((name) => attributes.has(name)) : [];
  const reserved = may.mayConduct && RESERVED_ATTRIBUTES.some((name) => attributes.has(name));
  const conductor = conductorAttributes.length > 0;
  const retrieval = recognition.claims.includes('retrieval');
  const models = may.namesModels && namesModels(recognition) ? modelNames(attributes) : [];
  if (!reserved && !retrieval && malformed.length + losses.length + models.length === 0) return NO_FACTS;
  const documents = retrieval && may.listsDocuments ? documentsOf(attributes) : [];
  return {
    sourceId: retrieval ? attributes.text(ATTRIBUTES.sourceId) : undefined,
    contentHash: retrieval ? attributes.text(ATTRIBUTES.contentHash) : undefined,
    groundingMode: conductor ? attributes.text(ATTRIBUTES.groundingMode) : undefined,
    inputHash: conductor ? attributes.text(ATTRIBUTES.inputHash) : undefined,
    ...witnessOf(attributes, { reserved, conductor }),
    ...(models.length === 0 ? {} : { models }),
    documents: documents.length === 0 ? undefined : documents,
    conductorAttributes: conductor ? conductorAttributes : NO_FACTS.conductorAttributes,
    malformed: malformed.length === 0 ? NO_FACTS.malformed : malformed,
    losses: losses.length === 0 ? undefined : losses,
  };
}

/** What concerns witnesses; nothing for the many spans that say nothing of them. */
function witnessOf(
  attributes: AttributeSet,
  { reserved, conductor }: { readonly reserved: boolean; readonly conductor: boolean },
): Pick<SpanFacts, 'witnessed' | 'witnessedSpans' | 'isolated'> {
  if (!reserved) return {};
  const count = conductor ? integerOf(attributes, ATTRIBUTES.witnessedSpans) : undefined;
  return {
    ...(attributes.has(ATTRIBUTES.witnessed) ? { witnessed: true } : {}),
    ...(count === undefined ? {} : { witnessedSpans: count }),
    ...(conductor && attributes.has(ATTRIBUTES.isolation)
      ? { isolated: attributes.text(ATTRIBUTES.isolation) === 'isolated' }
      : {}),
  };
}

function integerOf(attributes: AttributeSet, name: string): number | undefined {
  const digits = attributes.present().find(([key]) => key === name)?.[1].integer;
  const value = Number(digits);
  return digits === undefined || !Number.isSafeInteger(value) ? undefined : value;
}
