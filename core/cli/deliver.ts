import { openAtomicFile } from '../io/atomic-file.js';
import { writeOutputFile } from '../io/output-file.js';
import type { Call } from './command.js';

/** Hands over a command's result: to `--output` when it was given, else to standard output. */
export async function deliver(call: Call, result: string | Uint8Array): Promise<void> {
  const path = call.options.text('output');
  if (path === undefined) await call.world.out.write(result);
  else writeOutputFile({ path, folder: call.world.cwd }, result);
}

/** Throws `output-unwritable` before anything is run whose result `--output` could not take: no model is asked for nothing. */
export function refuseUnwritableOutput(call: Call): void {
  const path = call.options.text('output');
  if (path !== undefined) openAtomicFile({ path, folder: call.world.cwd }).discard();
}
