import { parentPort, workerData } from 'node:worker_threads';
import { GateError } from '../model/errors.js';
import { type Desk, examineTask } from '../reverify/examine-task.js';
import type { Task } from '../reverify/ports.js';
import { type DeskSettings, openDesk } from './reverify-desk.js';
import type { Answer } from './reverify-pool.js';

/** One lane of `reverify` in a thread of its own: takes batches of runs and gives their verdicts. */
const port = parentPort;
if (port === null) throw new Error('reverify-worker runs in a worker thread only');
/** Opened with the first batch, so that a refusal is an answer. */
let desk: Desk | undefined;

port.on('message', (tasks: readonly Task[]) => {
  port.postMessage(answerTo(tasks));
});

function answerTo(tasks: readonly Task[]): Answer {
  try {
    const opened = desk ?? openDesk(workerData as DeskSettings);
    desk = opened;
    return { kind: 'examined', examined: tasks.map((task) => examineTask(task, opened)) };
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    // Only the members of an Error's own class cross threads.
    const { code, blame, message, remedy, place } = error;
    return { kind: 'refused', code, init: { blame, message, ...(remedy && { remedy }), ...(place && { place }) } };
  }
}
