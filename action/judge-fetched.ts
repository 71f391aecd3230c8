import { type GateReport, gateError, inOrder } from '../core/index.js';
import type { Standing } from './bind.js';
import { fetchRuns } from './fetch-runs.js';
import type { Judged } from './judged.js';
import { storedMode } from './stored-mode.js';

/** What another workflow's run has stored, judged again by the configuration that is checked out here. */
export async function judgeFetched(standing: Standing): Promise<Judged> {
  const { world, job } = standing;
  const { inputs, trigger } = job;
  if (trigger.kind !== 'workflow-run') throw new Error('only what another run has stored is fetched');
  const folders = await fetchRuns(standing, trigger);
  const reports = [];
  for (const folder of folders)
    reports.push(
      await storedMode({
        runs: folder,
        shownAs: 'runs',
        sources: inputs.sources,
        headSources: null,
        only: null,
        unresolved: inputs.unresolved,
        jobs: inputs.jobs ?? world.cores,
      }),
    );
  const [first] = reports;
  if (first === undefined || folders[0] === undefined)
    throw gateError('artifact-refused', {
      blame: 'configuration',
      message: `the run ${trigger.runId} has stored no runs that could be judged again`,
      remedy: 'let its workflow run this Action with upload set and redact: false',
    });
  const notice = `judged again from what the run ${trigger.runId} has stored: that its agents ran as it says is that run's word`;
  const report: GateReport = {
    ...first,
    conclusion: reports.some(({ conclusion }) => conclusion !== 'passed') ? 'failed' : 'passed',
    subjects: reports.flatMap(({ subjects }) => subjects),
    findings: inOrder(reports.flatMap(({ findings }) => findings)),
    notices: [notice, ...new Set(reports.flatMap(({ notices }) => notices))],
  };
  return { report, text: '', runs: folders[0], sources: inputs.sources, made: [], nothingChanged: false };
}
