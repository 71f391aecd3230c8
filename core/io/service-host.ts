/**
 * The process that stands over a service's command. It leads the process group, so that ending the group ends all of it, and it
 * ends the group itself once the process that started it is gone, however that went.
 */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { answerConnects, handOutDoors, isIsolated } from './inner-doors.js';
import { GRACE_MS, LIFELINE_FD } from './service-channel.js';

const [command = ''] = process.argv.slice(2);
// Its other end is held by our parent alone; the command does not inherit it.
const lifeline = new Socket({ fd: LIFELINE_FD, readable: true, writable: true });

// The group is asked to end by these, which is not meant for the one who asks.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
// By this one an agent of another run would debug this process, and have its channel.
process.on('SIGUSR1', () => {});

if (isIsolated()) {
  await handOutDoors();
  answerConnects();
}
const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => tell(`could not be started: ${error.message}`));
child.on('exit', (code, signal) => tell(signal === null ? `exited with code ${code}` : `was ended by ${signal}`));
for (const event of ['end', 'close', 'error'] as const) lifeline.on(event, ask);
lifeline.resume();

/** What the command started and left running goes with it, this process included. */
function tell(ending: string): void {
  lifeline.write(ending, () => signalGroup('SIGKILL'));
}

function ask(): void {
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), GRACE_MS);
}

function signalGroup(signal: NodeJS.Signals): void {
  process.kill(-process.pid, signal);
}
