import {
  type Expectation,
  type Fixture,
  type FixtureFiles,
  type FoundFixture,
  findFixtures,
} from '../fixtures/index.js';
import { composeJson, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import { loosenings } from './loosenings.js';

/** What the pull request did to a fixture of the base. */
export type FixtureChange =
  | { readonly kind: 'removed'; readonly file: string }
  | { readonly kind: 'loosened'; readonly file: string; readonly clauses: readonly string[] }
  /** The request is another one: the base's is run as well, beside the head's. */
  | { readonly kind: 'changed'; readonly file: string }
  | { readonly kind: 'added'; readonly file: string };

/** The fixtures to run, and how they differ from the base's. */
export interface FixturePlan {
  readonly fixtures: readonly FoundFixture[];
  readonly changes: readonly FixtureChange[];
  /** The base has fixtures at all. */
  readonly protected: boolean;
}

/** The label of the base's version of a fixture that the pull request changed. */
const BASE_SUFFIX = ' (as on the base)';

/** The file that a row's label names: the base's version of a fixture stands in no file of the head. */
export function fixtureFile(label: string): string {
  return label.endsWith(BASE_SUFFIX) ? label.slice(0, -BASE_SUFFIX.length) : label;
}

/** The fixtures of the head alone, where no other commit binds. */
export function headFixtures(files: FixtureFiles, targets: readonly string[]): FixturePlan {
  return { fixtures: findFixtures(files, { targets }), changes: [], protected: true };
}

/**
 * The fixtures of the head under the expectations of the base (contract 11, issue 3 point 6): those that the head added count besides; one
 * that it removed, or whose expectation it loosened, is a change that fails; of one whose request it changed both versions run.
 */
export function mergeFixtures(
  files: { readonly head: FixtureFiles; readonly base: FixtureFiles },
  targets: readonly string[],
): FixturePlan {
  const base = new Map(foundOnBase(files.base, targets).map((found) => [fileOf(found), found]));
  const head = findOr(files.head, targets, base.size > 0);
  const fixtures: FoundFixture[] = [];
  const changes: FixtureChange[] = [];
  for (const found of head) {
    const file = fileOf(found);
    const old = base.get(file);
    base.delete(file);
    if (old === undefined) changes.push({ kind: 'added', file });
    const merged = old === undefined ? [found] : mergeOne({ old, found }, changes);
    fixtures.push(...merged);
  }
  changes.push(...removed([...base.values()], head));
  return {
    fixtures,
    changes,
    protected: base.size > 0 || changes.some(({ kind }) => kind !== 'added') || hasOld(head, changes),
  };
}

function hasOld(head: readonly FoundFixture[], changes: readonly FixtureChange[]): boolean {
  return head.length > changes.filter(({ kind }) => kind === 'added').length;
}

/** A base without fixtures is a first use; anything else that is wrong with the base's is told. */
function foundOnBase(files: FixtureFiles, targets: readonly string[]): readonly FoundFixture[] {
  const there = (targets.length === 0 ? ['fixtures'] : targets).filter((target) => files.kindOf(target) !== 'missing');
  return there.length === 0 ? [] : findOr(files, there, true);
}

function findOr(files: FixtureFiles, targets: readonly string[], mayBeNone: boolean): readonly FoundFixture[] {
  try {
    return findFixtures(files, { targets });
  } catch (error) {
    const none = error instanceof GateError && (error.code === 'fixtures-none' || error.code === 'config-missing');
    if (none && mayBeNone) return [];
    throw error;
  }
}

function mergeOne(
  { old, found }: { readonly old: FoundFixture; readonly found: FoundFixture },
  changes: FixtureChange[],
): readonly FoundFixture[] {
  // What nobody can read on the base protects nothing; what nobody can read on the head is a row that is not judged.
  if (old.kind === 'unreadable' || found.kind === 'unreadable') return [found];
  const { file } = found.fixture;
  const clauses = loosenings(old.fixture.expectation, found.fixture.expectation);
  if (clauses.length > 0) changes.push({ kind: 'loosened', file, clauses });
  const expectation = clauses.length > 0 ? old.fixture.expectation : found.fixture.expectation;
  const judged: FoundFixture = { kind: 'read', fixture: { ...found.fixture, expectation } };
  if (isSameRequest(old.fixture, found.fixture)) return [judged];
  changes.push({ kind: 'changed', file });
  return [judged, { kind: 'read', fixture: asOnBase(old.fixture) }];
}

/** The base's version runs beside the head's, so that it cannot have the same id. */
function asOnBase(fixture: Fixture): Fixture {
  const file = `${fixture.file}${BASE_SUFFIX}`;
  if (fixture.invocationId === null) return { ...fixture, file };
  const members = new Map(fixture.request.entries().filter(([key]) => key !== 'invocation_id'));
  return { ...fixture, file, invocationId: null, request: parseJson(composeJson(members), { file }) };
}

function isSameRequest(one: Fixture, other: Fixture): boolean {
  return Buffer.compare(one.request.raw(), other.request.raw()) === 0;
}

/** A fixture that stands under another name with the same request and the same expectation was moved, not removed. */
function removed(gone: readonly FoundFixture[], head: readonly FoundFixture[]): readonly FixtureChange[] {
  return gone
    .filter((old) => !head.some((found) => isMoved(old, found)))
    .map((old) => ({ kind: 'removed', file: fileOf(old) }));
}

function isMoved(old: FoundFixture, found: FoundFixture): boolean {
  if (old.kind === 'unreadable' || found.kind === 'unreadable') return false;
  return isSameRequest(old.fixture, found.fixture) && isAsStrict(old.fixture.expectation, found.fixture.expectation);
}

function isAsStrict(base: Expectation, head: Expectation): boolean {
  return loosenings(base, head).length === 0;
}

function fileOf(found: FoundFixture): string {
  return found.kind === 'read' ? found.fixture.file : found.file;
}
