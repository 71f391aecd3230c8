import { posix } from 'node:path';
import { Faults, MappingReader, parseYaml, type YamlDocument, type YamlNode } from '../config/index.js';
import { CONTENT_HASH } from '../model/patterns.js';
import type { Place } from '../model/violation.js';

/** One pinned copy as sources.yaml lists it (contract 6). */
export interface SourceEntry {
  readonly snapshotRefs: readonly string[];
  /** As written: relative to the folder of sources.yaml. */
  readonly path: string;
  readonly pathPlace: Place;
  readonly idField: string;
  /** SHA-256 of the copy's bytes, 64 lower-case hex digits. */
  readonly sha256: string;
  /** Where the entry and its parts stand, for errors and for `pin`. */
  readonly node: YamlNode;
  readonly place: Place;
}

/** sources.yaml with the text that it was read from. */
export interface SourcesConfiguration {
  readonly entries: readonly SourceEntry[];
  readonly document: YamlDocument;
}

const ENTRY_KEYS = ['snapshot_refs', 'path', 'id_field', 'sha256'] as const;

/** Reads sources.yaml; throws a configuration error that names every fault with its place. */
export function parseSourcesConfiguration(bytes: Uint8Array, options: { readonly file: string }): SourcesConfiguration {
  const document = parseYaml(bytes, options);
  const faults = new Faults();
  const top = new MappingReader(document.root, { what: 'the sources file', keys: ['sources'], faults });
  const entries = (top.sequence('sources')?.items ?? []).map((node) => readEntry(node, faults));
  refuseSharedRefs(entries, faults);
  faults.settle();
  return { entries, document };
}

/** The path of a copy as messages name it: beside sources.yaml, as the person who wrote it would find it. */
export function copyLabel(sourcesPath: string, path: string): string {
  return posix.isAbsolute(path) ? path : posix.join(posix.dirname(sourcesPath.replaceAll('\\', '/')), path);
}

function readEntry(node: YamlNode, faults: Faults): SourceEntry {
  const reader = new MappingReader(node, { what: 'an entry of sources', keys: ENTRY_KEYS, faults });
  const refs = reader.sequence('snapshot_refs');
  if (refs !== null && refs.items.length === 0) {
    const message = 'snapshot_refs is empty, so that the copy would serve nothing';
    faults.add({
      code: 'config-value',
      message,
      remedy: 'list the snapshot_ref that the evidence carries',
      place: refs.place,
    });
  }
  return {
    snapshotRefs: reader.strings(refs, 'snapshot_refs'),
    path: reader.string('path'),
    pathPlace: reader.optional('path')?.place ?? node.place,
    idField: reader.string('id_field'),
    sha256: readPin(reader, faults),
    node,
    place: node.place,
  };
}

function readPin(reader: MappingReader, faults: Faults): string {
  const pin = reader.string('sha256');
  const place = reader.optional('sha256')?.place;
  if (pin !== '' && place !== undefined && !CONTENT_HASH.test(pin)) {
    const message = `sha256 is ${JSON.stringify(pin)}, 64 lower-case hexadecimal digits were expected`;
    faults.add({ code: 'config-value', message, remedy: 'let `grounding pin` write it', place });
  }
  return pin;
}

// Two copies for one reference would leave it to chance which one an item is checked against.
function refuseSharedRefs(entries: readonly SourceEntry[], faults: Faults): void {
  const seen = new Map<string, Place>();
  for (const entry of entries) {
    for (const ref of entry.snapshotRefs) {
      const first = seen.get(ref);
      if (first === undefined) {
        seen.set(ref, entry.place);
        continue;
      }
      const message = `the snapshot_ref ${JSON.stringify(ref)} is listed twice, first on line ${first.line}`;
      faults.add({ code: 'source-duplicate-ref', message, remedy: 'list it for one copy only', place: entry.place });
    }
  }
}
