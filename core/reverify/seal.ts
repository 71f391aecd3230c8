import type { JsonNode } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { GateError } from '../model/errors.js';
import type { Tampering } from '../model/stored-run.js';
import { INDEX_FILE, isSegment, SCHEMAS_FOLDER } from '../store/index.js';
import { merkleRoot, runLeaf, type SealedFile } from './merkle.js';

/** An in-toto Statement (v1) whose predicate is ours: what every file of an archive was when it was sealed. */
const STATEMENT = 'https://in-toto.io/Statement/v1';
export const SEAL_PREDICATE = 'https://w3id.org/data-director/grounding-gate/archive-seal/v1';

/** A run with its files, as it is sealed. */
export interface SealedRun {
  readonly run: string;
  readonly files: readonly SealedFile[];
}

/** What is sealed: runs in folder-name order, and the index and schemas beside them. */
export interface SealedArchive {
  readonly name: string;
  readonly runs: readonly SealedRun[];
  readonly others: readonly SealedFile[];
}

/** The manifest as JSON text in pieces, a run a line. */
export function* composeSeal({ name, runs, others }: SealedArchive): Generator<string> {
  const leaves = runs.map(({ run, files }) => runLeaf(run, files));
  const root = merkleRoot(leaves);
  const subject = [{ name, digest: { sha256: root } }];
  yield `{\n"_type": ${JSON.stringify(STATEMENT)},\n"subject": ${JSON.stringify(subject)},\n`;
  yield `"predicateType": ${JSON.stringify(SEAL_PREDICATE)},\n"predicate": {\n"merkle_root": "${root}",\n"runs": [`;
  for (const [at, { run, files }] of runs.entries())
    yield `${at === 0 ? '' : ','}\n${JSON.stringify({ run, leaf: leaves[at]?.toString('hex'), files })}`;
  yield `\n],\n"others": [${others.map((file) => `\n${JSON.stringify(file)}`).join(',')}\n]\n}\n}\n`;
}

/** A seal that was read and agrees with itself. */
export interface Seal {
  /** The runs that it covers, in its order. */
  readonly names: readonly string[];
  readonly others: readonly SealedFile[];
  /** Whether it covers the run, or the file beside the runs, of this name. */
  covers(name: string): boolean;
  /** How the files of a covered run differ from what was sealed. */
  compare(name: string, files: readonly SealedFile[]): readonly Tampering[];
}

/** Reads a seal; throws GateError `seal-malformed` for one of another shape, or whose Merkle root is not that of its runs. */
export function readSeal(statement: JsonNode): Seal {
  const type = statement.get('_type')?.string();
  const predicate = statement.get('predicate');
  if (type !== STATEMENT || statement.get('predicateType')?.string() !== SEAL_PREDICATE || predicate === undefined)
    throw malformed(statement, 'this is no seal of an archive');
  const runs = new Map((predicate.get('runs')?.items() ?? []).map((node) => [textOf(node, 'run'), node]));
  const others = filesOf(predicate.get('others'));
  const paths = new Set(others.map(({ path }) => path));
  // A path of the seal becomes one of the disk.
  if (![...paths].every(isOther) || paths.size !== others.length)
    throw malformed(statement, 'the seal names a file that is none of an archive, or names one twice');
  const leaves = [...runs].map(([name, node]) => leafOf(name, node));
  const subjects = statement.get('subject')?.items() ?? [];
  const root = merkleRoot(leaves);
  const stated = [subjects[0]?.get('digest')?.get('sha256')?.string(), predicate.get('merkle_root')?.string()];
  if (runs.size !== predicate.get('runs')?.size || subjects.length !== 1 || stated.some((one) => one !== root))
    throw malformed(statement, 'the Merkle root of the seal is not that of its runs');
  return {
    names: [...runs.keys()],
    others,
    covers: (name) => runs.has(name) || paths.has(name),
    compare: (name, files) => differences(filesOf(runs.get(name)?.get('files')), files),
  };
}

/** The index, or a schema, by a path that leads nowhere else. */
function isOther(path: string): boolean {
  if (path === INDEX_FILE) return true;
  const parts = path.split('/');
  return parts.length > 1 && parts[0] === SCHEMAS_FOLDER && parts.every(isSegment);
}

function leafOf(name: string, node: JsonNode): Buffer {
  const leaf = runLeaf(name, filesOf(node.get('files')));
  if (leaf.toString('hex') === node.get('leaf')?.string()) return leaf;
  throw malformed(node, 'the seal states another leaf for a run than that of its files');
}

/** What was changed, removed or added since, as one finding. */
function differences(sealed: readonly SealedFile[], stored: readonly SealedFile[]): readonly Tampering[] {
  const now = new Map(stored.map((file) => [file.path, file]));
  const then = new Set(sealed.map(({ path }) => path));
  const said = [
    ...sealed.flatMap((file) => {
      const found = now.get(file.path);
      if (found === undefined) return [`${file.path} is missing`];
      return found.sha256 === file.sha256 && found.size === file.size ? [] : [`${file.path} was changed`];
    }),
    ...stored.filter(({ path }) => !then.has(path)).map(({ path }) => `${path} was added`),
  ];
  return said.length === 0 ? [] : [{ test: 'seal-changed', message: `since it was sealed, ${said.join(', ')}` }];
}

function filesOf(list: JsonNode | undefined): SealedFile[] {
  return (list?.items() ?? []).map((node) => {
    const size = node.get('size')?.integer();
    if (size === undefined) throw malformed(node, 'a sealed file states no size');
    return { path: textOf(node, 'path'), size, sha256: textOf(node, 'sha256') };
  });
}

function textOf(node: JsonNode, key: string): string {
  const text = node.get(key)?.string();
  if (text === undefined) throw malformed(node, `a part of the seal states no ${key}`);
  return text;
}

function malformed(node: JsonNode, message: string): GateError {
  return gateError('seal-malformed', {
    blame: 'caller',
    message,
    remedy: 'give the file that `grounding seal` wrote',
    place: node.place(),
  });
}
