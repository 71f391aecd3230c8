import type { AttributeSet } from './attributes.js';
import { documentsOf } from './documents.js';
import { modelNames } from './model-names.js';
import { ATTRIBUTES, CONDUCTOR_ATTRIBUTES } from './names.js';
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
export function factsOf({
  recognition,
  attributes,
  malformed,
  losses,
  mayConduct,
  listsDocuments,
  namesModels: mayName,
}: FactsInit): SpanFacts {
  const conductorAttributes = mayConduct ? namesAmong(attributes) : NO_FACTS.conductorAttributes;
  const conductor = conductorAttributes.length > 0;
  const witnessed = mayConduct && attributes.has(ATTRIBUTES.witnessed);
  const retrieval = recognition.claims.includes('retrieval');
  const models = mayName && namesModels(recognition) ? modelNames(attributes) : [];
  if (!conductor && !witnessed && !retrieval && malformed.length + losses.length + models.length === 0) return NO_FACTS;
  const documents = retrieval && listsDocuments ? documentsOf(attributes) : [];
  // Every member is named, so that all facts are of one shape, whatever a span states.
  return {
    sourceId: retrieval ? attributes.text(ATTRIBUTES.sourceId) : undefined,
    contentHash: retrieval ? attributes.text(ATTRIBUTES.contentHash) : undefined,
    groundingMode: conductor ? attributes.text(ATTRIBUTES.groundingMode) : undefined,
    inputHash: conductor ? attributes.text(ATTRIBUTES.inputHash) : undefined,
    witnessed: witnessed ? true : undefined,
    witnessedSpans: conductor ? integerOf(attributes, ATTRIBUTES.witnessedSpans) : undefined,
    isolated: conductor ? isolationOf(attributes) : undefined,
    models: models.length === 0 ? undefined : models,
    documents: documents.length === 0 ? undefined : documents,
    conductorAttributes,
    malformed: malformed.length === 0 ? NO_FACTS.malformed : malformed,
    losses: losses.length === 0 ? undefined : losses,
  };
}

function namesAmong(attributes: AttributeSet): readonly string[] {
  const names: string[] = [];
  for (const name of CONDUCTOR_ATTRIBUTES) if (attributes.has(name)) names.push(name);
  return names.length === 0 ? NO_FACTS.conductorAttributes : names;
}

function isolationOf(attributes: AttributeSet): boolean | undefined {
  return attributes.has(ATTRIBUTES.isolation) ? attributes.text(ATTRIBUTES.isolation) === 'isolated' : undefined;
}

function integerOf(attributes: AttributeSet, name: string): number | undefined {
  const digits = attributes.integer(name);
  const value = Number(digits);
  return digits === undefined || !Number.isSafeInteger(value) ? undefined : value;
}
