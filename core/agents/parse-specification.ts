import { classSchemaFaults, classSchemaOf } from '../contract/class-schema.js';
import { validateSpecification } from '../contract/documents.js';
import { type Fault, faultsText } from '../contract/faults.js';
import { hashOf, type JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { CONTRACT_VERSION } from '../model/outcome.js';
import { GROUNDING_MODES } from '../model/report.js';
import type { AgentSpecification, ClassSchema, Derivation } from './specification.js';

const DERIVATIONS = ['template', 'model', 'lexical', 'registry'] as const;

/**
 * Reads what an agent declares about itself, from a module's export or a card's extension (contract 8); `label` names the agent in
 * messages. Throws a GateError `agent-specification` of blame `configuration` that lists every fault.
 */
export function parseSpecification(node: JsonNode, { label }: { readonly label: string }): AgentSpecification {
  const shape = validateSpecification(node);
  const specification = shape.length === 0 ? narrowed(node) : null;
  const faults =
    specification === null ? shape : [...versionFaults(specification), ...schemasFaults(node, specification)];
  if (specification !== null && faults.length === 0) return specification;
  throw gateError('agent-specification', {
    blame: 'configuration',
    message: `what ${label} declares breaks the contract: ${faultsText(faults)}`,
    remedy: 'mend the specification of the agent; a grounding_mode has no default',
  });
}

/** The members of a specification that has the shape of its schema. */
function narrowed(node: JsonNode): AgentSpecification | null {
  const text = (key: string): string => node.get(key)?.string() ?? '';
  const groundingMode = GROUNDING_MODES.find((mode) => mode === text('grounding_mode'));
  if (groundingMode === undefined) return null;
  return {
    agentId: text('agent_id'),
    version: text('version'),
    description: text('description'),
    actionClass: text('action_class'),
    accepts: (node.get('accepts')?.items() ?? []).flatMap((item) => item.string() ?? []),
    groundingMode,
    payload: node.get('payload')?.string() ?? null,
    derivations: new Map(
      (node.get('derivations')?.entries() ?? []).map(([path, value]) => [path, derivationOf(value)]),
    ),
    contractVersion: text('contract_version'),
    schemas: new Map((node.get('schemas')?.entries() ?? []).flatMap(([name, value]) => classOf(name, value))),
  };
}

function derivationOf(node: JsonNode): Derivation {
  const how = DERIVATIONS.find((candidate) => candidate === node.get('how')?.string()) ?? 'template';
  return { how, recordedIn: node.get('recorded_in')?.string() ?? null };
}

function classOf(name: string, node: JsonNode): [string, ClassSchema][] {
  const schema = node.get('json_schema');
  return schema === undefined ? [] : [[name, { schema, digest: hashOf(schema, 'dd-json-document-v1') }]];
}

/** Versions agree when major and, at major 0, minor are equal (contract 8). */
export function isCompatible(contractVersion: string): boolean {
  const [major, minor] = contractVersion.split('.');
  const [ourMajor, ourMinor] = CONTRACT_VERSION.split('.');
  return major === ourMajor && (major !== '0' || minor === ourMinor);
}

function versionFaults({ contractVersion }: AgentSpecification): Fault[] {
  if (isCompatible(contractVersion)) return [];
  const message = `is not compatible with the contract ${CONTRACT_VERSION} of this build`;
  return [{ rule: 'contract-version', pointer: '/contract_version', message }];
}

/** Every class that the agent reads or writes has a schema, and every schema is a sound one with its true digest. */
function schemasFaults(node: JsonNode, { accepts, payload, schemas }: AgentSpecification): Fault[] {
  const used = new Set([...accepts, ...(payload === null ? [] : [payload])]);
  const lacking = [...used]
    .filter((name) => classSchemaOf(name, schemas) === undefined)
    .map((name) => ({ rule: 'class-schema', pointer: '/schemas', message: `lacks the class ${JSON.stringify(name)}` }));
  const unsound = [...schemas].flatMap(([name, { digest, schema }]): Fault[] => {
    const pointer = schema.pointer().slice(node.pointer().length);
    const inside = classSchemaFaults(schema, { name, payload: name === payload });
    const faults = inside.map((fault) => ({
      rule: fault.rule,
      pointer: pointer + fault.pointer,
      message: fault.message,
    }));
    if (node.get('schemas')?.get(name)?.get('digest')?.string() === digest) return faults;
    return [...faults, { rule: 'class-digest', pointer, message: 'is not the schema that its digest names' }];
  });
  return [...lacking, ...unsound];
}
