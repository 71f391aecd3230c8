import { dirname, join } from 'node:path';
import { Faults, MappingReader, parseYaml, type YamlNode } from '../config/index.js';
import { nearest } from '../model/nearest.js';
import type { Place } from '../model/violation.js';
import type { NamedVariable } from './environment.js';
import type { ModelSettings } from './model-gate.js';
import { parseModels } from './parse-models.js';

/** Seconds that an agent may take when its entry does not say (contract 8). */
const DEFAULT_TIMEOUT_S = 60;

/** The longest that a timer waits: it would take a longer time for none at all. */
const LONGEST_TIMEOUT_S = Math.floor((2 ** 31 - 1) / 1000);

interface EntryBase {
  /** The entry's `name`, or its module or url. */
  readonly label: string;
  readonly place: Place;
  readonly timeoutS: number;
  readonly env: readonly NamedVariable[];
  /** The snapshots that the agent may be served while it runs. */
  readonly sources: readonly NamedSnapshot[];
  /** The model servers that its calls pass through to us; null for none. */
  readonly models: ModelSettings | null;
  /** Whether it runs where only our doors exist; null where it may go where it likes. */
  readonly isolation: Isolation | null;
  /** Where the values of its keys stand. */
  readonly places: ReadonlyMap<string, Place>;
}

/** `isolate` of an entry or of the file: what becomes of an agent where the system allows no such place. */
export type Isolation = 'required' | 'if-possible';

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

const MODULE_KEYS = ['module', 'name', 'timeout_s', 'env', 'sources', 'models', 'isolate'];
const SERVICE_KEYS = ['url', 'name', 'timeout_s', 'start', 'cwd', 'env', 'sources', 'models', 'isolate'];

/** The keys of which an entry has one. */
const KINDS: ReadonlySet<string> = new Set(['module', 'url']);

/** The whole of agents.yaml. */
export interface AgentsFile {
  readonly entries: readonly AgentEntry[];
  /** What the file says of isolation for every entry that does not say it itself. */
  readonly isolation: Isolation | null;
}

/** The entries of agents.yaml; throws as `parseAgentsFile` does. */
export function parseAgentsConfig(bytes: Uint8Array, given: { readonly file: string }): readonly AgentEntry[] {
  return parseAgentsFile(bytes, given).entries;
}

/**
 * Reads agents.yaml (contract 7 and 8). `file` names it in messages, and paths are resolved against its folder.
 * Throws a GateError `yaml-*` or `config-*` of blame `configuration`.
 */
export function parseAgentsFile(bytes: Uint8Array, { file }: { readonly file: string }): AgentsFile {
  const faults = new Faults();
  const document = new MappingReader(parseYaml(bytes, { file }).root, {
    what: 'an agents file',
    keys: ['agents', 'isolate'],
    faults,
  });
  const items = document.sequence('agents')?.items ?? [];
  const isolation = isolationOf(document, { faults, instead: null });
  const entries = items.map((node) => parseEntry(node, { faults, folder: dirname(file), isolation }));
  faults.settle();
  return { entries, isolation };
}

interface EntryContext {
  readonly faults: Faults;
  readonly folder: string;
  /** What the file says for every entry that does not say it itself. */
  readonly isolation: Isolation | null;
}

function parseEntry(node: YamlNode, context: EntryContext): AgentEntry {
  const { faults, folder } = context;
  const isModule = meansModule(node);
  const reader = new MappingReader(node, {
    what: isModule ? 'a module agent' : 'an agent service',
    keys: isModule ? MODULE_KEYS : SERVICE_KEYS,
    faults,
  });
  const target = reader.string(isModule ? 'module' : 'url');
  const env = listOf(reader, 'env').map(({ text, place }): NamedVariable => ({ name: text, place }));
  const base = {
    label: reader.optionalString('name') ?? target,
    place: node.place,
    timeoutS: reader.optionalInteger('timeout_s', { least: 1, most: LONGEST_TIMEOUT_S }) ?? DEFAULT_TIMEOUT_S,
    env,
    sources: listOf(reader, 'sources').map(({ text, place }): NamedSnapshot => ({ ref: text, place })),
    models: parseModels(reader.optional('models'), { faults, env: env.map(({ name }) => name) }),
    isolation: isolationOf(reader, { faults, instead: context.isolation }),
    places: placesOf(reader, isModule ? MODULE_KEYS : SERVICE_KEYS),
  };
  if (isModule) return { ...base, kind: 'module', module: target.startsWith('/') ? target : join(folder, target) };
  const cwd = reader.optionalString('cwd');
  const start = reader.optionalString('start');
  if (start === null) refuseWithoutStart(reader, faults);
  return {
    ...base,
    kind: 'service',
    url: target,
    start,
    cwd: cwd === null ? null : join(folder, cwd),
  };
}

/** Whether an entry names a module: one that names neither module nor url is taken for what its unknown keys come near. */
function meansModule(node: YamlNode): boolean {
  if (node.kind !== 'mapping') return false;
  if (node.entries.has('module') || node.entries.has('url')) return node.entries.has('module');
  return [...node.entries.keys()].some((key) => !SERVICE_KEYS.includes(key) && nearest(key, KINDS) === 'module');
}

function placesOf(reader: MappingReader, keys: readonly string[]): ReadonlyMap<string, Place> {
  return new Map(
    keys.flatMap((key): [string, Place][] => {
      const node = reader.optional(key);
      return node === null ? [] : [[key, node.place]];
    }),
  );
}

/** What we do not start has the surroundings that it was started in. */
function refuseWithoutStart(reader: MappingReader, faults: Faults): void {
  for (const key of ['models', 'isolate']) {
    const node = reader.optional(key);
    if (node === null || (node.kind === 'boolean' && !node.value)) continue;
    faults.add({
      code: 'config-value',
      message: `${key} is of no use for a service that runs without us`,
      remedy: 'say with start how it is started, or remove it',
      place: node.place,
    });
  }
}

function isolationOf(
  reader: MappingReader,
  { faults, instead }: { readonly faults: Faults; readonly instead: Isolation | null },
): Isolation | null {
  const node = reader.optional('isolate');
  if (node === null) return instead;
  if (node.kind === 'boolean') return node.value ? 'required' : null;
  if (node.kind === 'string' && node.value === 'if-possible') return 'if-possible';
  faults.add({
    code: 'config-value',
    message: 'isolate is none of true, false and if-possible',
    remedy: 'write one of them',
    place: node.place,
  });
  return instead;
}

function listOf(reader: MappingReader, key: string): { readonly text: string; readonly place: Place }[] {
  const list = reader.optional(key);
  const sequence = list === null ? null : reader.sequenceOf(list, key);
  return (sequence?.items ?? []).flatMap((item) => {
    const text = reader.stringOf(item, `an item of ${key}`);
    return text === null ? [] : [{ text, place: item.place }];
  });
}
