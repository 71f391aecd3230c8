/** Names and limits of agents as services (contract 8). */

/** The extension of a card whose `params` are the agent's specification. */
export const SPECIFICATION_EXTENSION = 'https://w3id.org/data-director/a2a/agent-spec/v0';

/** Where a card stands, below the address of its agent. */
export const CARD_PATH = '/.well-known/agent-card.json';

/** Where an agent of ours takes JSON-RPC calls. */
export const RPC_PATH = '/a2a';

/** The protocol version on the wire: major and minor alone. */
export const PROTOCOL_VERSION = '1.0';

/** The largest body either way: 16 MB. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Names of artifacts: what an agent answers a call with, and what the harness answers a delegated one with. */
export const ARTIFACTS = {
  result: 'agent-result',
  envelopeJson: 'envelope-json',
  envelope: 'envelope',
} as const;

/** Members of a message's metadata. */
export const METADATA = {
  inputRef: 'dd.input_ref',
  inputHash: 'dd.input_hash',
  traceparent: 'traceparent',
  delegateUrl: 'dd.delegate_url',
  delegationToken: 'dd.delegation_token',
  sourcesUrl: 'dd.sources_url',
  sourcesToken: 'dd.sources_token',
} as const;
