import { posix } from 'node:path';
import {
  Faults,
  MappingReader,
  parseYaml,
  UNRESOLVED_POLICIES,
  type UnresolvedPolicy,
  type YamlNode,
} from '../../core/index.js';

/** Where the bot's configuration stands, on the default branch. */
export const CONFIG_FILE = '.github/grounding.yml';

/** Which of the stored runs a pull request is judged by. */
export const RUNS_CHOICES = ['changed', 'all'] as const;
export const COMMENT_CHOICES = ['never', 'on-failure', 'always'] as const;
export const REVERIFY_CHOICES = ['never', 'nightly'] as const;

/** The bot's configuration of one repository; paths are relative to its root. */
export interface GroundingConfig {
  /** Name or file of the workflow whose artifact is the evidence; null when the runs of the tree alone are. */
  readonly workflow: string | null;
  /** Name of the artifact; one that ends in `*` stands for all that begin so. */
  readonly artifact: string;
  readonly runsPath: string;
  readonly runs: (typeof RUNS_CHOICES)[number];
  /** Globs of what has to be judged at all; null is everything. */
  readonly paths: readonly string[] | null;
  readonly profile: string;
  readonly sources: string;
  /** Where agents are registered: what witnesses see of them may not be loosened. */
  readonly agents: string;
  /** Files or folders. */
  readonly fixtures: readonly string[];
  readonly unresolved: UnresolvedPolicy;
  readonly comment: (typeof COMMENT_CHOICES)[number];
  /** How long evidence may be waited for. */
  readonly deadlineMinutes: number;
  readonly reverify: (typeof REVERIFY_CHOICES)[number];
}

export const CONFIG_KEYS = [
  'workflow',
  'artifact',
  'runs_path',
  'runs',
  'paths',
  'profile',
  'sources',
  'agents',
  'fixtures',
  'unresolved',
  'comment',
  'deadline_minutes',
  'reverify',
] as const;

/** A day: a workflow of GitHub's may run longer, and then its completion is what counts. */
export const LONGEST_DEADLINE = 24 * 60;

/** Reads `.github/grounding.yml`; throws a configuration error that names every fault with its line. `{}` means the defaults. */
export function parseGroundingConfig(bytes: Uint8Array): GroundingConfig {
  const { root } = parseYaml(bytes, { file: CONFIG_FILE });
  const faults = new Faults();
  const reader = new MappingReader(root, { what: 'the configuration of the bot', keys: CONFIG_KEYS, faults });
  const at: Reading = { reader, faults };
  const config = {
    workflow: reader.optionalString('workflow'),
    artifact: reader.optionalString('artifact') ?? DEFAULTS.artifact,
    runsPath: path('runs_path', at) ?? DEFAULTS.runsPath,
    runs: choice('runs', RUNS_CHOICES, at) ?? DEFAULTS.runs,
    paths: list('paths', at),
    profile: path('profile', at) ?? DEFAULTS.profile,
    sources: path('sources', at) ?? DEFAULTS.sources,
    agents: path('agents', at) ?? DEFAULTS.agents,
    fixtures: paths('fixtures', at) ?? DEFAULTS.fixtures,
    unresolved: choice('unresolved', UNRESOLVED_POLICIES, at) ?? DEFAULTS.unresolved,
    comment: choice('comment', COMMENT_CHOICES, at) ?? DEFAULTS.comment,
    deadlineMinutes:
      reader.optionalInteger('deadline_minutes', { least: 1, most: LONGEST_DEADLINE }) ?? DEFAULTS.deadlineMinutes,
    reverify: choice('reverify', REVERIFY_CHOICES, at) ?? DEFAULTS.reverify,
  };
  faults.settle();
  return config;
}

const DEFAULTS: GroundingConfig = {
  workflow: null,
  artifact: 'grounding-*',
  runsPath: 'runs',
  runs: 'changed',
  paths: null,
  profile: 'profiles/default.yaml',
  sources: 'sources.yaml',
  agents: 'agents.yaml',
  fixtures: ['fixtures'],
  unresolved: 'warn',
  comment: 'on-failure',
  deadlineMinutes: 60,
  reverify: 'never',
};

interface Reading {
  readonly reader: MappingReader;
  readonly faults: Faults;
}

function choice<Choice extends string>(
  key: string,
  choices: readonly Choice[],
  { reader, faults }: Reading,
): Choice | null {
  const node = reader.optional(key);
  const text = node === null ? null : reader.stringOf(node, key);
  const found = choices.find((one) => one === text);
  if (node === null || text === null || found !== undefined) return found ?? null;
  faults.add({
    code: 'config-value',
    message: `${key} is ${JSON.stringify(text)}`,
    remedy: `use one of ${choices.join(', ')}`,
    place: node.place,
  });
  return null;
}

function path(key: string, at: Reading): string | null {
  const node = at.reader.optional(key);
  return node === null ? null : pathOf(node, { key, at });
}

function paths(key: string, at: Reading): readonly string[] | null {
  const node = at.reader.optional(key);
  const sequence = node === null ? null : at.reader.sequenceOf(node, key);
  if (sequence === null) return null;
  return sequence.items.flatMap((item) => pathOf(item, { key: `an item of ${key}`, at }) ?? []);
}

function pathOf(node: YamlNode, { key, at }: { readonly key: string; readonly at: Reading }): string | null {
  const text = at.reader.stringOf(node, key);
  if (text === null) return null;
  const inside = posix.normalize(text).replace(/\/$/, '');
  if (!posix.isAbsolute(inside) && inside !== '..' && !inside.startsWith('../')) return inside === '.' ? '' : inside;
  at.faults.add({
    code: 'config-outside',
    message: `${key} leads out of the repository`,
    remedy: 'give a path from its root, without a slash in front',
    place: node.place,
  });
  return null;
}

function list(key: string, { reader, faults }: Reading): readonly string[] | null {
  const node = reader.optional(key);
  const sequence = node === null ? null : reader.sequenceOf(node, key);
  if (sequence === null) return null;
  if (sequence.items.length === 0)
    faults.add({
      code: 'config-value',
      message: `${key} is empty, so that nothing would ever be judged`,
      remedy: 'list what has to be judged, or leave it out for everything',
      place: sequence.place,
    });
  return reader.strings(sequence, key);
}
