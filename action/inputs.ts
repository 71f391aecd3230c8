import { gateError } from '../core/index.js';

/** What the Action is to do. */
export const MODES = ['run', 'verify', 'reverify'] as const;
export const FAIL_ON = ['unexpected', 'unresolved', 'tampered', 'drift'] as const;
export const UNRESOLVED = ['allow', 'warn', 'fail'] as const;
export const COMMENT = ['never', 'on-failure', 'always'] as const;

export type Mode = (typeof MODES)[number];
export type FailOn = (typeof FAIL_ON)[number];
export type CommentMode = (typeof COMMENT)[number];

/** Every input with its default as action.yml states it; a test holds the two together. Null stands for an expression. */
export const INPUT_DEFAULTS = {
  mode: 'run',
  fixtures: '',
  runs: 'runs',
  agents: 'agents.yaml',
  profile: 'profiles/default.yaml',
  sources: 'sources.yaml',
  replay: '',
  'working-directory': '.',
  jobs: '',
  'timeout-minutes': '30',
  'fail-on': 'unexpected,tampered',
  'fail-on-new': 'false',
  unresolved: 'warn',
  comment: 'on-failure',
  'check-name': 'grounding',
  annotations: 'true',
  sarif: 'false',
  junit: 'false',
  html: 'false',
  upload: null,
  redact: '',
  'retention-days': '',
  token: null,
} as const satisfies Record<string, string | null>;

export type InputName = keyof typeof INPUT_DEFAULTS;

/** The inputs after parsing. */
export interface Inputs {
  readonly mode: Mode;
  readonly fixtures: readonly string[];
  readonly runs: string;
  readonly agents: string;
  readonly profile: string;
  /** `named` says that somebody asked for this file, so that it must exist (contract 6). */
  readonly sources: { readonly sourcesPath: string; readonly named: boolean };
  /** The folder of recordings that take the place of the agents; null runs the agents. */
  readonly replay: string | null;
  readonly workingDirectory: string;
  /** Null takes the number of cores. */
  readonly jobs: number | null;
  readonly timeoutMinutes: number;
  readonly failOn: ReadonlySet<FailOn>;
  readonly failOnNew: boolean;
  readonly unresolved: (typeof UNRESOLVED)[number];
  readonly comment: CommentMode;
  readonly checkName: string;
  readonly annotations: boolean;
  readonly sarif: boolean;
  readonly junit: boolean;
  readonly html: boolean;
  /** Null uploads nothing; empty takes a name from the job. */
  readonly upload: string | null;
  /** Null: as the repository's visibility says. */
  readonly redact: boolean | null;
  readonly retentionDays: number | null;
  readonly token: string;
}

/** What the runner handed over, untouched but trimmed; an input that is empty is absent (contract of issue 3). */
export type RawInputs = ReadonlyMap<InputName, string>;

/** Reads the inputs from the variables that the runner sets: `INPUT_` and the name in capitals, hyphens kept. */
export function readInputs(environment: Readonly<Record<string, string | undefined>>): RawInputs {
  const raw = new Map<InputName, string>();
  for (const name of inputNames()) {
    const value = environment[`INPUT_${name.toUpperCase()}`]?.trim();
    if (value !== undefined && value !== '') raw.set(name, value);
  }
  return raw;
}

/** The names of all inputs. */
export function inputNames(): readonly InputName[] {
  return Object.keys(INPUT_DEFAULTS).filter((name): name is InputName => Object.hasOwn(INPUT_DEFAULTS, name));
}

/** Parses the inputs; throws one GateError `input-value` that names every input that cannot be. */
export function parseInputs(raw: RawInputs): Inputs {
  const faults: string[] = [];
  const text = (name: InputName): string => raw.get(name) ?? INPUT_DEFAULTS[name] ?? '';
  const read = <Value>(name: InputName, parse: (value: string) => Value | string): Value | undefined => {
    const parsed = parse(text(name));
    if (typeof parsed !== 'string') return parsed;
    faults.push(`${name} is ${JSON.stringify(text(name))}: ${parsed}`);
    return undefined;
  };
  const oneOf = <Choice extends string>(name: InputName, choices: readonly Choice[]): Choice | undefined =>
    read(name, (value) => {
      const found = choices.find((choice) => choice === value);
      return found === undefined ? `use one of ${choices.join(', ')}` : { found };
    })?.found;
  const flag = (name: InputName): boolean | undefined => read(name, (value) => boolean(value));
  const count = (name: InputName, range: Range): number | null | undefined =>
    read(name, (value) => (value === '' ? { count: null } : integer(value, range)))?.count;

  const inputs = {
    mode: oneOf('mode', MODES),
    fixtures: lines(text('fixtures')),
    runs: text('runs'),
    agents: text('agents'),
    profile: text('profile'),
    sources: { sourcesPath: text('sources'), named: raw.has('sources') && text('sources') !== INPUT_DEFAULTS.sources },
    replay: read('replay', (value) => replayFolder(value, text('mode')))?.folder,
    workingDirectory: text('working-directory'),
    jobs: count('jobs', { least: 1, most: 1024 }),
    timeoutMinutes: count('timeout-minutes', { least: 1, most: 35 * 24 * 60 }),
    failOn: read('fail-on', failOnSet),
    failOnNew: flag('fail-on-new'),
    unresolved: oneOf('unresolved', UNRESOLVED),
    comment: oneOf('comment', COMMENT),
    checkName: text('check-name'),
    annotations: flag('annotations'),
    sarif: flag('sarif'),
    junit: flag('junit'),
    html: flag('html'),
    upload: read('upload', artifactName)?.name,
    redact: read('redact', (value) => (value === '' ? { redact: null } : wrapped(boolean(value))))?.redact,
    retentionDays: count('retention-days', { least: 1, most: 400 }),
    token: text('token'),
  };
  if (inputs.unresolved === 'allow' && inputs.failOn?.has('unresolved') === true)
    faults.push('fail-on lists unresolved, and unresolved is "allow": use warn, or leave it out of fail-on');
  if (faults.length > 0 || !isWhole(inputs)) throw refused(faults);
  return inputs;
}

function isWhole(inputs: { readonly [Name in keyof Inputs]: Inputs[Name] | undefined | null }): inputs is Inputs {
  return Object.values(inputs).every((value) => value !== undefined) && inputs.timeoutMinutes !== null;
}

function refused(faults: readonly string[]): Error {
  return gateError('input-value', {
    blame: 'configuration',
    message: `the Action's input ${faults.join('; the input ')}`,
    remedy: 'mend it in the workflow',
  });
}

/** The booleans of the YAML 1.2 core schema, and nothing else that looks like one. */
function boolean(value: string): boolean | string {
  if (['true', 'True', 'TRUE'].includes(value)) return true;
  if (['false', 'False', 'FALSE'].includes(value)) return false;
  return 'use true or false';
}

function wrapped(value: boolean | string): { readonly redact: boolean } | string {
  return typeof value === 'string' ? value : { redact: value };
}

interface Range {
  readonly least: number;
  readonly most: number;
}

function integer(value: string, { least, most }: Range): { readonly count: number } | string {
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most ? { count: number } : `use a whole number from ${least} to ${most}`;
}

function failOnSet(value: string): ReadonlySet<FailOn> | string {
  if (value === 'none') return new Set();
  const words = value.split(/[\s,]+/).filter((word) => word !== '');
  const known = words.flatMap((word) => FAIL_ON.filter((one) => one === word));
  const unknown = words.find((word) => !known.some((one) => one === word));
  if (words.length === 0) return 'it lists nothing: write none for that';
  if (unknown === undefined) return new Set(known);
  return `${JSON.stringify(unknown)} is none of ${FAIL_ON.join(', ')}, none`;
}

function replayFolder(value: string, mode: string): { readonly folder: string | null } | string {
  if (value === '') return { folder: null };
  return mode === 'run' ? { folder: value } : 'recordings are replayed in mode run alone';
}

/** The characters that the artifact service bars, and its length. */
function artifactName(value: string): { readonly name: string | null } | string {
  if (value === 'none') return { name: null };
  if (/["<>|*?:\r\n\\/\p{Cc}]/u.test(value)) return 'an artifact\'s name has none of " < > | * ? : \\ /';
  return value.length <= 255 ? { name: value } : "an artifact's name has at most 255 characters";
}

function lines(value: string): readonly string[] {
  return value
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
