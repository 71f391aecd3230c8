import type { Call } from './command.js';
import { usage } from './options.js';

/** What makes a comparison with an earlier report fail. */
export const FAIL_ON = ['any', 'new'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** What a call says about an earlier report; throws GateError `usage` for a `--fail-on new` that has nothing to compare with. */
export function driftOptions(call: Call): { readonly previous: string | null; readonly failOn: FailOn } {
  const previous = call.options.text('previous') ?? null;
  const failOn = call.options.choice('fail-on', FAIL_ON) ?? 'any';
  if (failOn === 'new' && previous === null)
    throw usage('--fail-on new is given without --previous', 'name the report to compare with');
  return { previous, failOn };
}
