import { hashOf, type JsonNode, jsonOf, parseJson, project } from '../../json/index.js';
import { gateError } from '../../model/error-codes.js';
import { composableOf } from './composable.js';
import { sourceText } from './json-text.js';

/** Something that a result may rest on: the input, or a record that this run read. Only `ctx` makes one. */
export interface Source {
  readonly source_id: string;
  readonly content_hash: string;
}

/** A record that this run read, as the reading function returned it. */
export interface Retrieved<Record> extends Source {
  readonly record: Record;
}

/** An entry of `grounded_on` (contract 3). */
export interface GroundingReference {
  readonly source_id: string;
  readonly content_hash: string;
}

/** An evidence item (contract 3); `content` is the projection that the hash covers. */
export interface EvidenceItem extends GroundingReference {
  readonly source_uri?: string;
  readonly retrieved_at?: string;
  readonly snapshot_ref?: string;
  readonly hash_algorithm: 'sha256';
  readonly canonicalisation: string;
  /** Left out for a delegated run, whose envelope is stored itself. */
  readonly content?: JsonNode;
}

/** A document with its hash under a named canonicalisation and the projection that the hash covers. */
export interface Hashed {
  readonly content: JsonNode;
  readonly contentHash: string;
}

/**
 * Hashes what a reading function returned: an object, or what `readJson` made. Throws GateError `agent-misuse` for
 * anything but an object, and `canonicalisation-unknown` or `projection-refused` as contract 2 says.
 */
export function hashRecord(record: unknown, canonicalisation: string): Hashed {
  const text = sourceText(record);
  const node = text === undefined ? jsonOf(composableOf(record)) : parseJson(Buffer.from(text), { file: '<record>' });
  if (node.kind !== 'object') throw misuse(`a record is ${node.kind}, and only an object can be shown as evidence`);
  return { content: project(node, canonicalisation), contentHash: hashOf(node, canonicalisation) };
}

/** The error for a use of the library that could not be grounded. */
export function misuse(message: string): Error {
  return gateError('agent-misuse', {
    blame: 'agent',
    message,
    remedy: 'see the documentation of grounding-gate/agent',
  });
}

/** Whether a value can name a record or a model; half a surrogate pair would make the whole span file unreadable. */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.isWellFormed();
}

/**
 * The sources that one run may cite, in the order of their first citation. A source of another run, or one that the agent
 * wrote itself, is refused: it would name what this run never read.
 */
export class CitableSources {
  readonly #evidence = new WeakMap<Source, EvidenceItem>();
  readonly #cited = new Set<Source>();

  /** Admits a source with the evidence that stands for it. */
  admit<S extends Source>(source: S, evidence: EvidenceItem): S {
    this.#evidence.set(source, Object.freeze(evidence));
    return source;
  }

  cite(source: Source): GroundingReference {
    const { source_id, content_hash } = this.evidence(source);
    this.#cited.add(source);
    return Object.freeze({ source_id, content_hash });
  }

  evidence(source: Source): EvidenceItem {
    const item = this.#evidence.get(source);
    if (item === undefined) throw misuse('only ctx.input and what ctx.retrieval returned in this run can be cited');
    return item;
  }

  /** Evidence of everything cited so far, each once. */
  cited(): EvidenceItem[] {
    return [...this.#cited].map((source) => this.evidence(source));
  }
}
