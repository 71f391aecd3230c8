import type { JsonNode } from '../json/index.js';
import { crossMemberFaults } from './cross-member.js';
import { type Fault, type StandaloneValidator, schemaFaults } from './faults.js';
import * as generated from './generated/validators.js';

/** The documents of contract 3, each with the validator that its schema was compiled to. */
const VALIDATORS = {
  request: generated.validateInvocationRequest,
  envelope: generated.validateEnvelope,
  result: generated.validateAgentResult,
  specification: generated.validateAgentSpecification,
  outcome: generated.validateOutcome,
  evidence: generated.validateEvidenceItem,
  reference: generated.validateGroundingReference,
  delegation: generated.validateDelegation,
  principal: generated.validatePrincipal,
  telemetry: generated.validateTelemetry,
  problem: generated.validateProblem,
  message: generated.validateMessage,
  reply: generated.validateReply,
} as const satisfies Record<string, StandaloneValidator>;

/** Names of the documents that have a schema (contract 3). */
export type DocumentKind = keyof typeof VALIDATORS;

/** Every fault of a document by its schema alone, with pointer and place; none when it is valid. */
export function validateDocument(kind: DocumentKind, node: JsonNode): readonly Fault[] {
  return schemaFaults(node, VALIDATORS[kind]);
}

/** Every fault of an InvocationRequest. That the caller sets no member of the conductor's is the conductor's to refuse. */
export function validateRequest(node: JsonNode): readonly Fault[] {
  return validateDocument('request', node);
}

/** Every fault of an Envelope that the conductor is about to store: its schema, then the rules across members. */
export function validateEnvelope(node: JsonNode): readonly Fault[] {
  return [...validateDocument('envelope', node), ...crossMemberFaults(node)];
}

/** Every fault of an AgentResult (the `result` of contract 8). */
export function validateResult(node: JsonNode): readonly Fault[] {
  return validateDocument('result', node);
}

/** Every fault of an agent's specification, its class schemas apart. */
export function validateSpecification(node: JsonNode): readonly Fault[] {
  return validateDocument('specification', node);
}

/** Every fault of a report.json. It is no document of contract 3: the gate writes it for itself and for other tools. */
export function validateReport(node: JsonNode): readonly Fault[] {
  return schemaFaults(node, generated.validateReport);
}

/** Every fault of a recording. Like report.json, the gate writes it for itself. */
export function validateRecording(node: JsonNode): readonly Fault[] {
  return schemaFaults(node, generated.validateRecording);
}
