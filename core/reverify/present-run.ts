import { posix } from 'node:path';
import { hashOf, type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import type { StoredRunVerdict } from '../model/stored-run.js';
import { RULE_IDS, type RuleId } from '../model/violation.js';
import { readOutcome } from '../report/read-outcome.js';
import type { ReportedOutcome } from '../report/run-report.js';
import { type HeldFiles, RUN_FILES } from '../store/index.js';
import { millisecondsOf } from './select.js';
import { rulesIn, textOf } from './texts.js';

/** What a run that is shown as evidence says of itself; null for what it does not say. Every string may be forged. */
export interface PresentedRun {
  /** The name of its folder. */
  readonly run: string;
  readonly agentId: string | null;
  /** Under `dd-input-json-v1`, of the input in its request. */
  readonly inputHash: string | null;
  readonly policyDigest: string | null;
  /** A run that another one asked for is its parent's matter. */
  readonly isDelegated: boolean;
  /** When its id was made, in milliseconds since 1970; null when the name is no such id. */
  readonly madeAt: number | null;
  readonly outcome: ReportedOutcome | null;
  /** The rules that it breaks; of a withheld run those that its texts name, since nothing is left to judge. */
  readonly rules: readonly RuleId[];
  readonly verdict: StoredRunVerdict;
}

/** Reads what a held run says of itself; what cannot be read is null, and the verdict says why. */
export function presentRun(
  verdict: StoredRunVerdict,
  { files, folder }: { readonly files: HeldFiles; readonly folder: string },
): PresentedRun {
  const { run } = verdict;
  const bytes = (file: keyof typeof RUN_FILES): Uint8Array | null =>
    files.get(posix.join(folder, run, RUN_FILES[file])) ?? null;
  const envelope = read(bytes('envelope'));
  const input = read(bytes('request'))?.get('input');
  return {
    run,
    agentId: envelope?.get('agent_id')?.string() ?? null,
    inputHash: input === undefined ? null : hashOf(input, 'dd-input-json-v1'),
    policyDigest: envelope?.get('policy_digest')?.string() ?? null,
    isDelegated: envelope?.present('parent_invocation_id') !== undefined,
    madeAt: millisecondsOf(run),
    outcome: envelope === null ? null : readOutcome(envelope),
    rules:
      verdict.state === 'withheld'
        ? statedRules([bytes('grounding'), bytes('sources')])
        : [...(verdict.grounding?.rules ?? []), ...(verdict.sources?.rules ?? [])],
    verdict,
  };
}

function read(bytes: Uint8Array | null): JsonNode | null {
  if (bytes === null) return null;
  try {
    return parseJson(bytes, { file: 'evidence' });
  } catch (error) {
    if (error instanceof GateError) return null;
    throw error;
  }
}

function statedRules(texts: readonly (Uint8Array | null)[]): readonly RuleId[] {
  const named = new Set(texts.flatMap((text) => (text === null ? [] : [...rulesIn(textOf(text))])));
  return RULE_IDS.filter((rule) => named.has(rule));
}
