import { type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';

/**
 * Reads an envelope file. Throws a `GateError` of blame `unreadable` for what contract 9 calls unreadable: `json-*`,
 * and `envelope-malformed` for a document that is not an object. All else that is wrong with it is left to G0.
 */
export function readEnvelope(bytes: Uint8Array, options: { readonly file: string }): JsonNode {
  const envelope = parseJson(bytes, options);
  if (envelope.kind === 'object') return envelope;
  throw gateError('envelope-malformed', {
    blame: 'unreadable',
    message: 'the envelope is not a JSON object',
    remedy: 'give the envelope.json of a finished run',
    place: envelope.place(),
  });
}
