/** The span names of contract 4. The linter judges the first three; the others are seen and passed over. */
export const SPAN_NAMES = {
  root: 'invoke_agent',
  retrieval: 'retrieval',
  chat: 'chat',
  policyGate: 'policy_gate',
  delegate: 'delegate',
  executeTool: 'execute_tool',
} as const;

/** The span attributes of contract 4. */
export const ATTRIBUTES = {
  operation: 'dd.operation',
  agentId: 'dd.agent_id',
  sourceId: 'dd.source_id',
  contentHash: 'dd.content_hash',
  modelId: 'dd.model_id',
  inputTokens: 'dd.input_tokens',
  outputTokens: 'dd.output_tokens',
  outcome: 'dd.outcome',
  groundingMode: 'dd.grounding_mode',
  inputHash: 'dd.input_hash',
  /** `true` on a span that the conductor wrote of what a door served. */
  witnessed: 'dd.witnessed',
  /** On the root: how many spans the conductor wrote so. */
  witnessedSpans: 'dd.witnessed_spans',
  /** On the root: `witnessed` where the run had to be. */
  require: 'dd.require',
  /** On the root, where the agent's entry asks for it: `isolated` when it ran where only the conductor's doors exist, else `open`. */
  isolation: 'dd.isolation',
  snapshotRef: 'dd.snapshot_ref',
  requestedModelId: 'dd.requested_model_id',
} as const;

/** The attributes that the conductor alone sets, and only on the root (contract 4). */
export const CONDUCTOR_ATTRIBUTES = [
  ATTRIBUTES.groundingMode,
  ATTRIBUTES.inputHash,
  ATTRIBUTES.outcome,
  ATTRIBUTES.witnessedSpans,
  ATTRIBUTES.require,
  ATTRIBUTES.isolation,
] as const;

/** Attributes that no agent may set: the conductor's on the root, and what marks the spans that it writes of a door. */
export const RESERVED_ATTRIBUTES = [...CONDUCTOR_ATTRIBUTES, ATTRIBUTES.witnessed] as const;
