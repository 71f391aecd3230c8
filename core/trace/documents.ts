import { parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { isContentHash } from '../model/patterns.js';
import { type AttributeSet, type AttributeValue, JsonValue } from './attributes.js';

/** A document that a retrieval returned, by its own id and the hash of its content. */
export interface FetchedDocument {
  readonly sourceId: string;
  readonly contentHash: string;
}

const GEN_AI_DOCUMENTS = 'gen_ai.retrieval.documents';
const OPENINFERENCE_DOCUMENTS = 'retrieval.documents.';
const OPENINFERENCE_MEMBER = /^retrieval\.documents\.([0-9]+)\.document\.(id|content_hash|metadata)$/;

/** Whether an attribute of this key may hold what `documentsOf` looks for. */
export function isDocumentKey(key: string): boolean {
  return key === GEN_AI_DOCUMENTS || key.startsWith(OPENINFERENCE_DOCUMENTS);
}

/**
 * The documents of a retrieval that state both an id and a hash: OpenTelemetry's list (also as a JSON text) and
 * OpenInference's flattened members. One that lacks either cannot be cited and is left out.
 */
export function documentsOf(attributes: AttributeSet): readonly FetchedDocument[] {
  const documents: FetchedDocument[] = [];
  const flattened = new Map<string, Partial<Record<string, AttributeValue>>>();
  for (const [key, value] of attributes.present()) {
    if (key === GEN_AI_DOCUMENTS) for (const document of listed(value)) documents.push(document);
    const [, index, member] = OPENINFERENCE_MEMBER.exec(key) ?? [];
    if (index === undefined || member === undefined) continue;
    const known = flattened.get(index);
    if (known === undefined) flattened.set(index, { [member]: value });
    else known[member] = value;
  }
  for (const { id, content_hash, metadata } of flattened.values())
    documents.push(...documentOf({ id, hash: content_hash, metadata }));
  return documents;
}

function listed(value: AttributeValue): readonly FetchedDocument[] {
  const list = value.text === undefined ? value : parsed(value.text);
  return (list?.items() ?? []).flatMap((item) => {
    const document = item.text === undefined ? item : parsed(item.text);
    if (document === undefined) return [];
    const [id, hash, metadata] = ['id', 'content_hash', 'metadata'].map((key) => document.member(key));
    return documentOf({ id, hash, metadata });
  });
}

function documentOf(of: {
  readonly id: AttributeValue | undefined;
  readonly hash: AttributeValue | undefined;
  readonly metadata: AttributeValue | undefined;
}): readonly FetchedDocument[] {
  const sourceId = of.id?.text ?? of.id?.integer;
  const metadata = of.metadata?.text === undefined ? of.metadata : parsed(of.metadata.text);
  const contentHash = of.hash?.text ?? metadata?.member('content_hash')?.text;
  if (sourceId === undefined || sourceId === '' || contentHash === undefined) return [];
  return isContentHash(contentHash) ? [{ sourceId, contentHash }] : [];
}

/** A JSON text within an attribute; undefined when it is none, for what cannot be read was not fetched. */
function parsed(text: string): AttributeValue | undefined {
  try {
    return new JsonValue(parseJson(Buffer.from(text), { file: '<attribute>' }));
  } catch (error) {
    if (error instanceof GateError) return undefined;
    throw error;
  }
}
