import type { JsonNode } from '../json/index.js';
import { PROBLEM_BASE } from '../model/outcome.js';
import type { RunState } from '../model/stored-run.js';
import type { Finding, FindingRule } from '../report/finding.js';
import { cut } from '../report/visible.js';
import { isInvocationId } from '../store/index.js';
import { InstantReader } from '../trace/index.js';
import { type ReportedRun, type RunFacts, readValue } from './run-facts.js';

const LONGEST_ID = 200;
const LONGEST_STATEMENT = 140;

/** What the overview knows of a run. Every text may be a model's. */
export interface RunSummary {
  readonly run: string;
  readonly state: RunState;
  /** When it was invoked, in milliseconds since the Unix epoch; null when nothing says so. */
  readonly ms: number | null;
  readonly agent: string | null;
  readonly mode: string | null;
  readonly status: string | null;
  /** The reason code, or the slug of the problem. */
  readonly reason: string | null;
  readonly statement: string;
  /** Rules and faults that break the run's verdict, each once. */
  readonly rules: readonly FindingRule[];
  readonly verified: number;
  readonly unresolved: number;
  readonly fixture: string | null;
}

/** Cuts a run down to what the overview shows. */
export function summaryOf(
  { verdict, fixture }: ReportedRun,
  { facts, findings }: { readonly facts: RunFacts; readonly findings: readonly Finding[] },
): RunSummary {
  const envelope = readValue(facts.envelope);
  const outcome = envelope?.get('outcome');
  const text = (node: JsonNode | undefined): string | null => {
    const found = node?.string();
    return found === undefined ? null : cut(found, LONGEST_ID);
  };
  return {
    run: verdict.run,
    state: verdict.state,
    ms: invokedAt(verdict.run, facts),
    agent: text(envelope?.get('agent_id')),
    mode: verdict.grounding?.mode ?? null,
    status: text(outcome?.get('status')),
    reason: problemOf(envelope) ?? text(outcome?.present('reason_code')),
    statement: cut(outcome?.get('statement')?.string() ?? verdict.error ?? '', LONGEST_STATEMENT),
    rules: [...new Set(findings.filter(counts).map(({ rule }) => rule))],
    verified: verdict.sources?.verified ?? 0,
    unresolved: verdict.sources?.unresolved.length ?? 0,
    fixture: fixture === null ? null : cut(fixture, LONGEST_ID),
  };
}

/** What a withheld run broke counts as well: it is what it was withheld for. */
function counts({ level }: Finding): boolean {
  return level === 'error';
}

function problemOf(envelope: JsonNode | null): string | null {
  const type = envelope?.present('problem')?.get('type')?.string();
  if (type === undefined) return null;
  return cut(type.startsWith(PROBLEM_BASE) ? type.slice(PROBLEM_BASE.length) : type, LONGEST_ID);
}

/** The time in a UUIDv7 (RFC 9562), else the request's, else when the run was completed. */
function invokedAt(run: string, facts: RunFacts): number | null {
  const id = readValue(facts.envelope)?.get('invocation_id')?.string() ?? run;
  if (isInvocationId(id)) return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const stated =
    readValue(facts.request)?.get('issued_at')?.string() ?? readValue(facts.envelope)?.get('completed_at')?.string();
  const ns = stated === undefined ? undefined : new InstantReader().read(stated);
  // Before 1970 nobody ran an agent: such a time tells nothing.
  return ns === undefined || ns < 0n ? null : Number(ns / 1_000_000n);
}
