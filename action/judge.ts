import { bind, type Standing } from './bind.js';
import { judgeFetched } from './judge-fetched.js';
import { judgeFixtures } from './judge-fixtures.js';
import { judgeChanged, judgeStored } from './judge-stored.js';
import type { Interruptible, Judged } from './judged.js';

/** Judges by the mode of the inputs; what another workflow's run stored is judged again, whatever the mode. */
export async function judgeJob(standing: Standing, stop: Interruptible): Promise<Judged> {
  const { job } = standing;
  if (job.trigger.kind === 'workflow-run') return judgeFetched(standing);
  const binding = await bind(standing);
  switch (job.inputs.mode) {
    case 'run':
      return judgeFixtures(standing, { binding, stop });
    case 'verify':
      return judgeChanged(standing, binding);
    case 'reverify':
      return judgeStored(standing, { binding, only: null });
  }
}
