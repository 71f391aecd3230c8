/**
 * The strict YAML reader (contract 1): YAML 1.2 core schema by js-yaml, one document, no tags but the core's.
 * Configuration files come from pull requests: everything in them is hostile until it has been read here.
 */
import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  parseEvents,
  realMapTag,
  YAMLException,
} from 'js-yaml';
import { type ErrorCode, gateError } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import { composeTree } from './compose-tree.js';
import { decodeText } from './decode-text.js';
import { LineTable } from './line-table.js';
import type { YamlDocument } from './yaml-node.js';

/** The largest configuration file that is read, in bytes: js-yaml keeps about 20 times as much in memory. */
export const YAML_BYTES_LIMIT = 4 * 1024 * 1024;

/** The deepest nesting that is read, the innermost value counted; js-yaml recurses once a level. */
export const YAML_DEPTH_LIMIT = 64;

/** The most nodes that a document with aliases may have, counted after expansion (contract 1). */
export const YAML_EXPANSION_LIMIT = 10_000;

// A Map for every mapping, so that `__proto__` is a key like any other.
const SCHEMA = CORE_SCHEMA.withTags(realMapTag);

/**
 * Reads one YAML document. Throws a `GateError` of blame `configuration` with file, line and column:
 * `yaml-encoding`, `yaml-too-large`, `yaml-empty`, `yaml-syntax`, `yaml-tag`, `yaml-duplicate-key`, `yaml-alias`, `yaml-key`.
 */
export function parseYaml(bytes: Uint8Array, options: { readonly file: string }): YamlDocument {
  const { file } = options;
  if (bytes.length > YAML_BYTES_LIMIT) throw tooLarge(bytes.length, file);
  const text = decodeText(bytes, file);
  const lines = new LineTable(file, text);
  const events = judged(() => parseEvents(text, { maxDepth: YAML_DEPTH_LIMIT }), lines);
  refuseOtherThanOneDocument(events, file);
  refuseOtherVersion(events, file);
  const [data] = judged(
    () => constructFromEvents(events, { source: text, schema: SCHEMA, maxAliases: YAML_EXPANSION_LIMIT }),
    lines,
  );
  return { file, text, root: composeTree({ text, lines, events, data, limit: YAML_EXPANSION_LIMIT }) };
}

function tooLarge(size: number, file: string): GateError {
  return gateError('yaml-too-large', {
    blame: 'configuration',
    message: `the file has ${size} bytes, more than the ${YAML_BYTES_LIMIT} that are read`,
    remedy: 'split it or remove what does not belong in it',
    place: { file },
  });
}

function refuseOtherThanOneDocument(events: readonly Event[], file: string): void {
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
  if (documents === 1) return;
  if (documents === 0) {
    throw gateError('yaml-empty', {
      blame: 'configuration',
      message: 'the file is empty or holds only comments',
      remedy: 'write the configuration into it or remove the file',
      place: { file, line: 1, column: 1 },
    });
  }
  throw gateError('yaml-syntax', {
    blame: 'configuration',
    message: `the file holds ${documents} documents, one was expected`,
    remedy: 'remove the document markers (---)',
    place: { file },
  });
}

/** A document that says it is of another version may mean something else by `yes` or `012` than what is read here. */
function refuseOtherVersion(events: readonly Event[], file: string): void {
  for (const event of events) {
    if (event.type !== EVENT_ID.DOCUMENT) continue;
    const other = event.directives.find((directive) => directive.kind === 'yaml' && directive.version !== '1.2');
    if (other?.kind !== 'yaml') continue;
    throw gateError('yaml-syntax', {
      blame: 'configuration',
      message: `the file says that it is YAML ${other.version}, 1.2 is what is read`,
      remedy: 'remove the line that begins with %YAML',
      place: { file },
    });
  }
}

/** Runs a step of js-yaml; every exception of it, whatever its class, becomes a coded one. */
function judged<Result>(step: () => Result, lines: LineTable): Result {
  try {
    return step();
  } catch (error) {
    if (error instanceof GateError) throw error;
    const reason = error instanceof YAMLException ? error.reason : String(error);
    const { code, remedy } = kindOf(reason);
    const place =
      error instanceof YAMLException && error.mark ? lines.place(error.mark.position) : { file: lines.file };
    throw gateError(code, { blame: 'configuration', message: reason, remedy, place, cause: error });
  }
}

// js-yaml has one exception class; its reasons are told apart by these words (a test pins each of them).
const KINDS: readonly (readonly [words: RegExp, code: ErrorCode, remedy: string])[] = [
  [/^duplicated mapping key/, 'yaml-duplicate-key', 'keep one of the two entries'],
  [/explicit tag|^unknown (scalar|sequence|mapping) tag|tag handle|tag name|tag suffix/, 'yaml-tag', 'remove the tag'],
  [/alias/, 'yaml-alias', 'write the values out instead of using an alias'],
];

function kindOf(reason: string): { code: ErrorCode; remedy: string } {
  const kind = KINDS.find(([words]) => words.test(reason));
  if (kind === undefined) return { code: 'yaml-syntax', remedy: 'correct the YAML at this place' };
  return { code: kind[1], remedy: kind[2] };
}
