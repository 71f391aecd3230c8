import type { TextSurface } from '../report/run-text.js';
import type { Call } from './command.js';
import { variableOf } from './settings.js';

/** Where a call's text goes: a file and a pipe take any width and no colour; a terminal has both, unless NO_COLOR is set. */
export function surfaceOf(call: Call): TextSurface {
  const { out } = call.world;
  if (!out.isTerminal || call.options.text('output') !== undefined) return { columns: null, colour: false };
  return { columns: out.columns ?? null, colour: variableOf(call, 'NO_COLOR') === undefined };
}
