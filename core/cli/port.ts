import type { Call } from './command.js';
import { usage } from './options.js';

/** The port that `--port` names, 0 (any free one) without it; throws GateError `usage` for anything that is none. */
export function portOf(call: Call): number {
  const text = call.options.text('port') ?? '0';
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw usage(`--port is ${JSON.stringify(text)}`, 'give a port from 0 to 65535');
}
