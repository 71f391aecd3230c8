import { hash } from 'node:crypto';
import { type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { placeInCopy } from './copy-place.js';
import type { OpenCopy } from './ports.js';
import type { StoredRecord } from './record-table.js';

/**
 * Reads one indexed record again from the descriptor that was hashed. Throws `source-record-changed` when its bytes are
 * no longer those of the pass (contract 6). The record's places count from its own first byte.
 */
export function readRecord(
  source: { readonly copy: OpenCopy; readonly label: string },
  record: StoredRecord,
): JsonNode {
  const bytes = new Uint8Array(record.length);
  let filled = 0;
  while (filled < bytes.length) {
    const count = source.copy.read(bytes.subarray(filled), record.offset + filled);
    if (count === 0) break;
    filled += count;
  }
  if (filled === bytes.length && hash('sha256', bytes, 'binary') === record.digest) {
    return parseJson(bytes, { file: source.label });
  }
  throw gateError('source-record-changed', {
    blame: 'configuration',
    message: 'the copy was changed after its pin was checked',
    remedy: 'run again when nothing writes to it',
    place: placeInCopy(source.copy, { label: source.label, offset: record.offset }),
  });
}
