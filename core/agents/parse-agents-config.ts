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

const MODULE_KEYS = ['module', 'name', 'timeout_s', 'env'];
const SERVICE_KEYS = ['url', 'name', 'timeout_s', 'start', 'cwd', 'env'];

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
    env: variables(reader),
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

function variables(reader: MappingReader): NamedVariable[] {
  const list = reader.optional('env');
  const sequence = list === null ? null : reader.sequenceOf(list, 'env');
  return (sequence?.items ?? []).flatMap((item) => {
    const name = reader.stringOf(item, 'an item of env');
    return name === null ? [] : [{ name, place: item.place }];
  });
}
