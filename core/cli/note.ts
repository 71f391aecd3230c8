import { oneLine } from '../model/errors.js';
import type { Call } from './command.js';

/** Says something on standard error that decides nothing. */
export async function note(call: Call, text: string): Promise<void> {
  await call.world.err.write(`note: ${oneLine(text)}\n`);
}
