import { validateReport } from '../contract/documents.js';
import { faultsText } from '../contract/faults.js';
import { type JsonNode, parseJson } from '../json/index.js';
import { GateError } from '../model/errors.js';
import type { Finding, FindingLevel } from './finding.js';

/** What is told of a finding that an earlier report had; every string may be forged. */
export interface EarlierFinding {
  readonly rule: string;
  readonly level: FindingLevel;
  readonly message: string;
  readonly fixture: string | null;
  readonly run: string | null;
  readonly fingerprint: string;
}

/** What became of the findings since an earlier report, or why that cannot be said. Expected findings are no part of it. */
export type Comparison =
  | {
      readonly kind: 'compared';
      readonly new: readonly Finding[];
      readonly fixed: readonly EarlierFinding[];
      readonly unchanged: readonly Finding[];
    }
  | { readonly kind: 'no-baseline'; readonly reason: string };

/**
 * Compares findings with an earlier report.json by their fingerprints. The earlier one is hostile data: whatever is
 * wrong with it, there is no baseline then, which is never an error. Null stands for a report that does not exist.
 */
export function compareReports(
  previous: Uint8Array | null,
  current: { readonly findings: readonly Finding[] },
): Comparison {
  if (previous === null) return { kind: 'no-baseline', reason: 'there is no earlier report' };
  const earlier = readEarlier(previous);
  if (typeof earlier === 'string') return { kind: 'no-baseline', reason: earlier };
  const known = new Set(earlier.map(({ fingerprint }) => fingerprint));
  const findings = current.findings.filter(counts);
  const now = new Set(findings.map(({ fingerprint }) => fingerprint));
  const fixed = new Map(
    earlier.filter(({ fingerprint }) => !now.has(fingerprint)).map((one) => [one.fingerprint, one] as const),
  );
  return {
    kind: 'compared',
    new: findings.filter(({ fingerprint }) => !known.has(fingerprint)),
    fixed: [...fixed.values()],
    unchanged: findings.filter(({ fingerprint }) => known.has(fingerprint)),
  };
}

function counts({ level }: { readonly level: FindingLevel }): boolean {
  return level !== 'note';
}

/** The findings of a report, or why it is none. */
function readEarlier(bytes: Uint8Array): readonly EarlierFinding[] | string {
  try {
    const report = parseJson(bytes, { file: 'report.json' });
    const faults = validateReport(report);
    if (faults.length > 0) return `the earlier report is malformed: ${faultsText(faults)}`;
    return (report.get('findings')?.items() ?? []).map(earlierFinding).filter(counts);
  } catch (error) {
    if (error instanceof GateError) return `the earlier report cannot be read: ${error.describe()}`;
    throw error;
  }
}

function earlierFinding(node: JsonNode): EarlierFinding {
  const text = (name: string): string => node.get(name)?.string() ?? '';
  const level = text('level');
  return {
    rule: text('rule'),
    level: level === 'note' || level === 'warning' ? level : 'error',
    message: text('message'),
    fixture: node.get('fixture')?.string() ?? null,
    run: node.get('invocation_id')?.string() ?? null,
    fingerprint: text('fingerprint'),
  };
}
