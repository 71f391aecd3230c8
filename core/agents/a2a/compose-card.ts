import { type Composable, composeJson, type JsonNode } from '../../json/index.js';
import { PROTOCOL_VERSION, RPC_PATH, SPECIFICATION_EXTENSION } from './protocol.js';
import { below } from './read-card.js';

/** What a card says beside where calls go; `specification` is left out by a server that is no agent. */
export interface CardFacts {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The address of the server itself. */
  readonly url: string;
  readonly specification?: JsonNode;
}

/**
 * The card of a server (contract 8), as it is sent. The extension is not marked as required: the reference's client never names it
 * in a header and would be turned away.
 */
export function composeCard({ name, description, version, url, specification }: CardFacts): Uint8Array {
  const extension: Composable = {
    uri: SPECIFICATION_EXTENSION,
    description: 'What the agent declares about itself.',
    required: false,
    params: specification,
  };
  return composeJson({
    name,
    description,
    supportedInterfaces: [{ url: below(url, RPC_PATH), protocolBinding: 'JSONRPC', protocolVersion: PROTOCOL_VERSION }],
    version,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      ...(specification === undefined ? {} : { extensions: [extension] }),
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'invoke', name: 'invoke', description: 'Answers one InvocationRequest.', tags: ['grounded'] }],
  });
}
