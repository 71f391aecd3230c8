import { type Conclusion, type Finding, GateError, makeFinding, parseJson } from '../../core/index.js';
import type { HeldArchive } from '../evidence/evidence.js';

/** What was found out, to hold the reports against that came with the evidence. */
export interface FoundOut {
  readonly conclusion: Conclusion;
  readonly runs: ReadonlySet<string>;
}

/** A report that comes with evidence decides nothing; where it says something else than was found, that is told. */
export function claimFindings(archives: readonly HeldArchive[], found: FoundOut): readonly Finding[] {
  return archives.flatMap(({ claim, folder }) => {
    if (claim === null) return [];
    const place = { file: `${folder}/report.json`, line: null, column: null };
    return differencesOf(claim, found).map((message) =>
      makeFinding({ rule: 'claim-differs', level: 'warning', message, place }),
    );
  });
}

function differencesOf(claim: Uint8Array, found: FoundOut): readonly string[] {
  try {
    const report = parseJson(claim, { file: 'report.json' });
    const conclusion = report.get('conclusion')?.string();
    const listed = (report.get('results')?.items() ?? []).flatMap(
      (row) => row.present('invocation_id')?.string() ?? [],
    );
    const gone = listed.filter((run) => !found.runs.has(run));
    return [
      ...(conclusion === found.conclusion
        ? []
        : [`report.json says ${JSON.stringify(conclusion ?? null).slice(0, 60)}, we found ${found.conclusion}`]),
      ...(gone.length === 0
        ? []
        : [`report.json lists ${listed.length} runs, of which ${gone.length} are not in the evidence`]),
    ];
  } catch (error) {
    if (error instanceof GateError) return [`report.json cannot be read: ${error.describe()}`];
    throw error;
  }
}
