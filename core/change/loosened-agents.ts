import { type AgentEntry, type AgentsFile, type Isolation, parseAgentsFile } from '../agents/parse-agents-config.js';
import { GateError } from '../model/errors.js';
import type { Place } from '../model/violation.js';
import { type Finding, makeFinding } from '../report/index.js';

/** agents.yaml of two commits; null where it is missing. `file` names it in findings. */
export interface AgentsFiles {
  readonly base: Uint8Array | null;
  readonly head: Uint8Array | null;
  readonly file: string;
}

/** Something that an entry lets its agent do, or keeps from being seen, that the base did not. */
interface Loosening {
  readonly message: string;
  readonly place: Partial<Place>;
}

/**
 * In what a change lets agents do more, or be seen less, than the base does: `isolate`, `models` and `sources` of agents.yaml, each on its
 * line. What nobody can read on the base protects nothing; what nobody can read of the change is one finding.
 */
export function agentFindings({ base, head, file }: AgentsFiles): readonly Finding[] {
  const bound = base === null ? null : read(base, file);
  if (bound === null || bound instanceof GateError) return [];
  const own = head === null ? EMPTY : read(head, file);
  if (own instanceof GateError) {
    const unread = { message: `it cannot be read: ${own.message}`, place: own.place ?? {} };
    return isGuarded(bound) ? [findingOf(unread, file)] : [];
  }
  return loosened(bound, own).map((one) => findingOf(one, file));
}

const EMPTY: AgentsFile = { entries: [], isolation: null };

function read(bytes: Uint8Array, file: string): AgentsFile | GateError {
  try {
    return parseAgentsFile(bytes, { file });
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
}

/** Whether there is anything to loosen. */
function isGuarded({ entries, isolation }: AgentsFile): boolean {
  return isolation !== null || entries.some((entry) => isWatched(entry));
}

function isWatched({ isolation, models, sources }: AgentEntry): boolean {
  return isolation !== null || models !== null || sources.length > 0;
}

function findingOf({ message, place }: Loosening, file: string): Finding {
  const { line = null, column = null } = place;
  return makeFinding({ rule: 'registration-loosened', level: 'error', message, place: { file, line, column } });
}

function loosened(bound: AgentsFile, own: AgentsFile): readonly Loosening[] {
  const left = new Set(own.entries);
  const found: Loosening[] = [];
  const lost: AgentEntry[] = [];
  for (const old of bound.entries) {
    const entry = counterpart(old, left);
    if (entry === undefined) lost.push(old);
    else left.delete(entry);
    if (entry !== undefined) found.push(...clauses(old, entry));
  }
  for (const old of lost.filter(isWatched)) {
    // One that stands under another name, and is held to no less, was moved.
    const moved = [...left].find((entry) => clauses(old, entry).length === 0);
    if (moved !== undefined) left.delete(moved);
    else found.push({ message: `${named(old)}, which the base has ${watchOf(old)}, is gone`, place: {} });
  }
  for (const entry of left) found.push(...unlikeTheRest(entry, bound.isolation));
  return found;
}

/** The entry of the same agent: of the same name, else of the same module or address. */
function counterpart(old: AgentEntry, entries: ReadonlySet<AgentEntry>): AgentEntry | undefined {
  const same = [...entries].filter((entry) => targetOf(entry) === targetOf(old));
  return (
    same.find(({ label }) => label === old.label) ?? same[0] ?? [...entries].find(({ label }) => label === old.label)
  );
}

function targetOf(entry: AgentEntry): string {
  return entry.kind === 'module' ? `module ${entry.module}` : `url ${entry.url}`;
}

/** What the whole file says of isolation on the base holds for an entry that is new as well. */
function unlikeTheRest(entry: AgentEntry, isolation: Isolation | null): readonly Loosening[] {
  if (strength(entry.isolation) >= strength(isolation)) return [];
  const message = `${named(entry)} is new: isolate: ${said(isolation)} for all on the base, ${said(entry.isolation)} here`;
  return [{ message, place: placeOf(entry, 'isolate') }];
}

function clauses(old: AgentEntry, entry: AgentEntry): readonly Loosening[] {
  const note = (key: 'isolate' | 'models' | 'sources', message: string): Loosening => ({
    message: `${named(entry)}: ${message}`,
    place: placeOf(entry, key),
  });
  const weaker = strength(entry.isolation) < strength(old.isolation);
  const [was, is] = [said(old.isolation), said(entry.isolation)];
  return [
    ...(weaker ? [note('isolate', `isolate: ${was} on the base, ${is} here`)] : []),
    ...modelClauses(old, entry).map((message) => note('models', message)),
    ...lostSnapshots(old, entry).map((ref) => note('sources', `sources: ${JSON.stringify(ref)} on the base, not here`)),
  ];
}

/** Calls that go elsewhere, or past us; an isolated agent's models are also all that it may reach. */
function modelClauses(old: AgentEntry, entry: AgentEntry): readonly string[] {
  const [was, is] = [old.models, entry.models];
  const moved = (['openai', 'anthropic'] as const).flatMap((provider) => {
    const [from, to] = [was?.upstreams[provider], is?.upstreams[provider]];
    if (from === to || (from === undefined && old.isolation === null)) return [];
    return [`models.${provider}: ${from ?? 'nothing'} on the base, ${to ?? 'nothing'} here`];
  });
  const lax = was?.traceparent === false && is?.traceparent === true;
  return lax ? [...moved, 'models.traceparent: false on the base, true here'] : moved;
}

function lostSnapshots({ sources }: AgentEntry, entry: AgentEntry): readonly string[] {
  const kept = new Set(entry.sources.map(({ ref }) => ref));
  return sources.map(({ ref }) => ref).filter((ref) => !kept.has(ref));
}

function strength(isolation: Isolation | null): number {
  return isolation === 'required' ? 2 : isolation === 'if-possible' ? 1 : 0;
}

function said(isolation: Isolation | null): string {
  return isolation === 'required' ? 'true' : (isolation ?? 'false');
}

function named({ label }: AgentEntry): string {
  return `the agent ${JSON.stringify(label)}`;
}

function watchOf({ isolation, models, sources }: AgentEntry): string {
  const keys = [
    isolation === null ? '' : 'isolate',
    models === null ? '' : 'models',
    sources.length === 0 ? '' : 'sources',
  ];
  return `with ${keys.filter((key) => key !== '').join(', ')}`;
}

function placeOf(entry: AgentEntry, key: 'isolate' | 'models' | 'sources'): Place {
  return entry.places.get(key) ?? entry.place;
}
