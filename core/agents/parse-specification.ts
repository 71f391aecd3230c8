import { hashOf, type JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { CONTRACT_VERSION } from '../model/outcome.js';
import { VERSION } from '../model/patterns.js';
import { GROUNDING_MODES, type GroundingMode } from '../model/report.js';
import { classSchemaFaults } from './class-schema.js';
import type { AgentSpecification, ClassSchema, Derivation } from './specification.js';

/** The keys of a specification (contract 8); all but `derivations` and `schemas` are required, and nothing else is allowed. */
const KEYS = [
  'agent_id',
  'version',
  'description',
  'action_class',
  'accepts',
  'grounding_mode',
  'payload',
  'derivations',
  'contract_version',
  'schemas',
] as const;

const DERIVATIONS = ['template', 'model', 'lexical', 'registry'] as const;

/** Classes whose schemas the core holds (contract 3); an agent need not bring them. */
export const CORE_CLASSES: ReadonlySet<string> = new Set(['Message', 'Reply']);

/**
 * Reads what an agent declares about itself, from a module's export or a card's extension (contract 8). `label` names the agent in
 * messages. Throws a GateError `agent-specification` of blame `configuration` that lists every fault.
 */
export function parseSpecification(node: JsonNode, { label }: { readonly label: string }): AgentSpecification {
  const faults: string[] = [];
  const reader = new SpecificationReader(node, faults);
  const specification = reader.read();
  if (faults.length === 0) return specification;
  throw gateError('agent-specification', {
    blame: 'configuration',
    message: `the specification of ${label} breaks the contract: ${faults.join('; ')}`,
    remedy: 'mend what the agent declares about itself',
  });
}

/** Reads member by member; a faulty one leaves a sentence in `faults` and a neutral value, so that all faults are told at once. */
class SpecificationReader {
  readonly #node: JsonNode;
  readonly #faults: string[];

  constructor(node: JsonNode, faults: string[]) {
    this.#node = node;
    this.#faults = faults;
  }

  read(): AgentSpecification {
    if (this.#node.kind !== 'object') this.#faults.push('it is not an object');
    this.#refuseUnknownKeys();
    const accepts = this.#accepts();
    const payload = this.#payload();
    return {
      agentId: this.#text('agent_id'),
      version: this.#version(),
      description: this.#text('description'),
      actionClass: this.#text('action_class'),
      accepts,
      groundingMode: this.#mode(),
      payload,
      derivations: this.#derivations(),
      contractVersion: this.#contractVersion(),
      schemas: this.#schemas(accepts, payload),
    };
  }

  #refuseUnknownKeys(): void {
    const known: readonly string[] = KEYS;
    for (const [key] of this.#node.entries()) {
      if (!known.includes(key))
        this.#faults.push(`the key ${JSON.stringify(key)} is unknown (known: ${known.join(', ')})`);
    }
  }

  #text(key: string): string {
    const text = this.#node.get(key)?.string();
    if (text === undefined || text.trim() === '') this.#faults.push(`${key} is not a non-empty string`);
    return text ?? '';
  }

  #version(): string {
    const version = this.#node.get('version')?.string() ?? '';
    if (!VERSION.test(version)) this.#faults.push('version is not three numbers without leading zeros');
    return version;
  }

  #contractVersion(): string {
    const version = this.#node.get('contract_version')?.string() ?? '';
    if (!isCompatible(version))
      this.#faults.push(`contract_version ${JSON.stringify(version)} is not compatible with ${CONTRACT_VERSION}`);
    return version;
  }

  #mode(): GroundingMode {
    const named = this.#node.get('grounding_mode')?.string();
    const mode = GROUNDING_MODES.find((candidate) => candidate === named);
    if (mode === undefined)
      this.#faults.push(`grounding_mode is not one of ${GROUNDING_MODES.join(', ')}; there is no default`);
    return mode ?? 'none';
  }

  #accepts(): string[] {
    const classes = (this.#node.get('accepts')?.items() ?? []).map((item) => item.string());
    const names = classes.filter((name) => name !== undefined && name !== '') as string[];
    if (names.length === 0 || names.length < classes.length)
      this.#faults.push('accepts is not a list of one or more class names');
    if (new Set(names).size < names.length) this.#faults.push('accepts names a class twice');
    return names;
  }

  #payload(): string | null {
    const payload = this.#node.get('payload');
    if (payload?.kind === 'null') return null;
    const name = payload?.string() ?? '';
    if (name === '') this.#faults.push('payload is neither a class name nor null');
    return name;
  }

  #derivations(): ReadonlyMap<string, Derivation> {
    const node = this.#node.present('derivations');
    if (node !== undefined && node.kind !== 'object') this.#faults.push('derivations is not an object');
    return new Map((node?.entries() ?? []).map(([path, value]) => [path, this.#derivation(path, value)]));
  }

  #derivation(path: string, node: JsonNode): Derivation {
    const how = DERIVATIONS.find((candidate) => candidate === node.get('how')?.string());
    const recordedIn = node.get('recorded_in');
    const unknown = node.entries().some(([key]) => key !== 'how' && key !== 'recorded_in');
    if (how === undefined)
      this.#faults.push(`the derivation of ${JSON.stringify(path)} says no how (${DERIVATIONS.join(', ')})`);
    if (unknown || (recordedIn !== undefined && recordedIn.kind !== 'null' && recordedIn.kind !== 'string'))
      this.#faults.push(
        `the derivation of ${JSON.stringify(path)} has more than how and recorded_in, a string or null`,
      );
    return { how: how ?? 'template', recordedIn: recordedIn?.string() ?? null };
  }

  #schemas(accepts: readonly string[], payload: string | null): ReadonlyMap<string, ClassSchema> {
    const node = this.#node.present('schemas');
    if (node !== undefined && node.kind !== 'object') this.#faults.push('schemas is not an object');
    const schemas = new Map((node?.entries() ?? []).flatMap(([name, value]) => this.#schema(name, { value, payload })));
    for (const name of new Set([...accepts, ...(payload === null ? [] : [payload])])) {
      if (name !== '' && !CORE_CLASSES.has(name) && !schemas.has(name))
        this.#faults.push(`schemas lacks the class ${JSON.stringify(name)}`);
    }
    return schemas;
  }

  #schema(
    name: string,
    { value, payload }: { readonly value: JsonNode; readonly payload: string | null },
  ): [string, ClassSchema][] {
    const schema = value.get('json_schema');
    if (schema === undefined) {
      this.#faults.push(`the class ${JSON.stringify(name)} has no json_schema`);
      return [];
    }
    const digest = hashOf(schema, 'dd-json-document-v1');
    if (value.get('digest')?.string() !== digest)
      this.#faults.push(`the digest of ${JSON.stringify(name)} is not that of its json_schema`);
    this.#faults.push(...classSchemaFaults(schema, { name, payload: name === payload }));
    return [[name, { digest, schema }]];
  }
}

/** Versions agree when major and, at major 0, minor are equal (contract 8). */
function isCompatible(version: string): boolean {
  if (!VERSION.test(version)) return false;
  const [major, minor] = version.split('.');
  const [ourMajor, ourMinor] = CONTRACT_VERSION.split('.');
  return major === ourMajor && (major !== '0' || minor === ourMinor);
}
