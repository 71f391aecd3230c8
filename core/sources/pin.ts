import { isDeepStrictEqual } from 'node:util';
import { gateError } from '../model/error-codes.js';
import { copyLabel, parseSourcesConfiguration, type SourcesConfiguration } from './configuration.js';
import { composeConfiguration, editConfiguration } from './edit-configuration.js';
import { indexCopy } from './index-copy.js';
import { type EntryValues, planPin } from './plan-pin.js';
import type { SourceFiles } from './ports.js';

/** What is to be pinned: a file, the snapshot_ref that it serves, and the key of its records' ids. */
export interface PinRequest {
  readonly sourcesPath: string;
  /** Path of the copy, from the working directory. */
  readonly file: string;
  readonly ref: string;
  readonly idField: string;
}

/** What pinning did; `unchanged` when sources.yaml said so already. */
export interface PinResult {
  readonly kind: 'added' | 'renewed' | 'unchanged';
  /** Relative to sources.yaml. */
  readonly path: string;
  readonly sha256: string;
  readonly records: number;
}

/**
 * Pins a copy: adds or renews its entry in sources.yaml, which is made when it does not exist (contract 9). The copy is
 * read as a run would read it first, and nothing is written when it, or the present file, would be refused.
 */
export function pinSource(files: SourceFiles, request: PinRequest): PinResult {
  const { sourcesPath, ref, idField } = request;
  refuseEmpty({ ref, idField });
  const path = files.relativePath(request);
  const bytes = files.readConfiguration(sourcesPath);
  const current = bytes === null ? null : parseSourcesConfiguration(bytes, { file: sourcesPath });
  const { sha256, records } = readCopy(files, { ...request, path });
  const entries = valuesOf(current);
  const planned = planPin(entries, { ref, path, idField, sha256 });
  const result = { path, sha256, records };
  if (isDeepStrictEqual(planned, entries)) return { kind: 'unchanged', ...result };
  const text = current === null ? composeConfiguration(planned) : editConfiguration(current, planned);
  files.replaceConfiguration(sourcesPath, readBack(text, { sourcesPath, planned }));
  const known = entries.some((entry) => entry.snapshotRefs.includes(ref));
  return { kind: known ? 'renewed' : 'added', ...result };
}

function refuseEmpty(names: { readonly ref: string; readonly idField: string }): void {
  for (const [name, value] of [
    ['snapshot_ref', names.ref],
    ['id_field', names.idField],
  ] as const) {
    if (value !== '' && value.isWellFormed()) continue;
    throw gateError('config-value', {
      blame: 'caller',
      message: `the ${name} to pin is ${value === '' ? 'empty' : 'not Unicode text'}`,
      remedy: name === 'snapshot_ref' ? 'give --ref a value' : 'give --id-field a value',
    });
  }
}

function readCopy(
  files: SourceFiles,
  request: PinRequest & { readonly path: string },
): { sha256: string; records: number } {
  const { sourcesPath, path, idField } = request;
  const copy = files.open(files.locate({ sourcesPath, path }));
  try {
    const index = indexCopy({ copy, label: copyLabel(sourcesPath, path), idField, secret: files.secret() });
    if (index.fault !== null) throw index.fault;
    return { sha256: index.sha256, records: index.table.count };
  } finally {
    copy.close();
  }
}

function valuesOf(configuration: SourcesConfiguration | null): readonly EntryValues[] {
  return (configuration?.entries ?? []).map(({ snapshotRefs, path, idField, sha256 }) => ({
    snapshotRefs,
    path,
    idField,
    sha256,
  }));
}

/** The bytes to write, after reading them as the next run will: an edit that went wrong is never written. */
function readBack(
  text: string,
  expected: { readonly sourcesPath: string; readonly planned: readonly EntryValues[] },
): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (isDeepStrictEqual(valuesOf(tryParse(bytes, expected.sourcesPath)), expected.planned)) return bytes;
  throw gateError('source-pin-edit', {
    blame: 'configuration',
    message: 'the sources file is laid out in a way that cannot be edited without changing more than the pin',
    remedy: `write its aliases out, or replace it by:\n${composeConfiguration(expected.planned)}`,
    place: { file: expected.sourcesPath },
  });
}

function tryParse(bytes: Uint8Array, file: string): SourcesConfiguration | null {
  try {
    return parseSourcesConfiguration(bytes, { file });
  } catch {
    return null;
  }
}
