import type { Expectation } from '../fixtures/index.js';
import { STATUSES, type Status } from '../model/outcome.js';

/**
 * In what a pull request's expectation lets pass that the base's does not, a clause each; empty when everything that meets the new one
 * meets the old one as well.
 */
export function loosenings(base: Expectation, head: Expectation): readonly string[] {
  const said = (value: unknown): string => (value === null ? 'nothing' : String(value));
  const clauses: string[] = [];
  const note = (key: string, values: { readonly base: unknown; readonly head: unknown }): void => {
    clauses.push(`${key}: ${said(values.base)} on the base, ${said(values.head)} here`);
  };
  const allowed = new Set(allowedStatuses(base));
  if (allowedStatuses(head).some((status) => !allowed.has(status)))
    note('status', { base: base.status, head: head.status });
  if (base.problem !== head.problem && (base.problem !== null || head.problem === 'grounding-violation'))
    note('problem', { base: base.problem, head: head.problem });
  if (base.reasonCode !== null && base.reasonCode !== head.reasonCode)
    note('reason_code', { base: base.reasonCode, head: head.reasonCode });
  if (base.rules !== null && !sameMembers(base.rules, head.rules))
    note('rules', { base: base.rules.join(' '), head: head.rules?.join(' ') ?? null });
  if ((head.verified ?? 0) < (base.verified ?? 0)) note('verified', { base: base.verified, head: head.verified });
  if (base.unresolved !== null && (head.unresolved ?? Number.POSITIVE_INFINITY) > base.unresolved)
    note('unresolved', { base: base.unresolved, head: head.unresolved });
  if (head.repeat < base.repeat) note('repeat', { base: base.repeat, head: head.repeat });
  if (base.offline && !head.offline) note('offline', { base: base.offline, head: head.offline });
  if (base.require !== null && head.require !== base.require)
    note('require', { base: base.require, head: head.require });
  return clauses;
}

/** Contract 11: what counts as expected where no status is named. */
function allowedStatuses({ status, problem }: Expectation): readonly Status[] {
  if (status !== null) return [status];
  return STATUSES.filter((one) => (one === 'failed' || one === 'suspended') === (problem !== null));
}

function sameMembers(base: readonly string[], head: readonly string[] | null): boolean {
  return head !== null && base.length === head.length && base.every((rule) => head.includes(rule));
}
