import { dirname, join } from 'node:path';
import { Faults, MappingReader, parseYaml, type YamlNode } from '../config/index.js';
import type { Place } from '../model/violation.js';
import type { NamedVariable } from './environment.js';

/** Seconds that an agent may take when its entry does not say (contract 8). */
const DEFAULT_TIMEOUT_S = 60;

interface EntryBase {
  /** The entry's `name`, or its module or url. */
  readonly label: string;
  readonly place: Place;
  readonly timeoutS: number;
  readonly env: readonly NamedVariable[];
  /** The snapshots that the agent may be served while it runs. */
  readonly sources: readonly NamedSnapshot[];
}

/** A snapshot_ref that an entry lists under `sources`. */
export interface NamedSnapshot {
  readonly ref: string;
  readonly place: Place;
}

/** An agent that is loaded into a process of its own; `module` is a path, relative to where agents.yaml is relative to. */
export interface ModuleEntry extends EntryBase {
  readonly kind: 'module';
  readonly module: string;
}

/** An agent that is a service of its own, reached by A2A; with `start`, we start it. */
export interface ServiceEntry extends EntryBase {
  readonly kind: 'service';
  readonly url: string;
  readonly start: string | null;
  readonly cwd: string | null;
}

export type AgentEntry = ModuleEntry | ServiceEntry;

const MODULE_KEYS = ['module', 'name', 'timeout_s', 'env', 'sources'];
const SERVICE_KEYS = ['url', 'name', 'timeout_s', 'start', 'cwd', 'env', 'sources'];

/**
 * Reads agents.yaml (contract 7 and 8). `file` names it in messages, and paths are resolved against its folder.
 * Throws a GateError `yaml-*` or `config-*` of blame `configuration`.
 */
export function parseAgentsConfig(bytes: Uint8Array, { file }: { readonly file: string }): readonly AgentEntry[] {
  const faults = new Faults();
  const document = new MappingReader(parseYaml(bytes, { file }).root, {
    what: 'an agents file',
    keys: ['agents'],
    faults,
  });
  const items = document.sequence('agents')?.items ?? [];
  const entries = items.map((node) => parseEntry(node, { faults, folder: dirname(file) }));
  faults.settle();
  return entries;
}

function parseEntry(node: YamlNode, context: { readonly faults: Faults; readonly folder: string }): AgentEntry {
  const { faults, folder } = context;
  const isModule = node.kind === 'mapping' && node.entries.has('module');
  const reader = new MappingReader(node, {
    what: isModule ? 'a module agent' : 'an agent service',
    keys: isModule ? MODULE_KEYS : SERVICE_KEYS,
    faults,
  });
  const target = reader.string(isModule ? 'module' : 'url');
  const base = {
    label: reader.optionalString('name') ?? target,
    place: node.place,
    timeoutS: reader.optionalInteger('timeout_s', 1) ?? DEFAULT_TIMEOUT_S,
    env: listOf(reader, 'env').map(({ text, place }): NamedVariable => ({ name: text, place })),
    sources: listOf(reader, 'sources').map(({ text, place }): NamedSnapshot => ({ ref: text, place })),
  };
  if (isModule) return { ...base, kind: 'module', module: target.startsWith('/') ? target : join(folder, target) };
  const cwd = reader.optionalString('cwd');
  return {
    ...base,
    kind: 'service',
    url: target,
    start: reader.optionalString('start'),
    cwd: cwd === null ? null : join(folder, cwd),
  };
}

function listOf(reader: MappingReader, key: string): { readonly text: string; readonly place: Place }[] {
  const list = reader.optional(key);
  const sequence = list === null ? null : reader.sequenceOf(list, key);
  return (sequence?.items ?? []).flatMap((item) => {
    const text = reader.stringOf(item, `an item of ${key}`);
    return text === null ? [] : [{ text, place: item.place }];
  });
}
