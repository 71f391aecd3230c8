import { oneLine } from '../core/index.js';
import { runnerWorld } from './io/runner.js';
import { reasonOf, runAction } from './run-action.js';

// By this signal, which any program of the same user may send, Node would let that program debug us: write our own spans, say.
process.on('SIGUSR1', () => {});
const world = runnerWorld(process);
// A verdict that nobody reached has not passed (contract 9).
let code = 2;
try {
  code = await runAction(world);
} catch (error) {
  world.log.error(oneLine(reasonOf(error)));
}
await world.end();
// A connection or an agent that still hangs must not keep the job.
process.exit(code);
