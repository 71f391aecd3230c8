import type { JsonNode } from '../json/index.js';
import { PROBLEM_BASE } from '../model/outcome.js';
import type { RuleId } from '../model/violation.js';
import type { Call } from './command.js';
import { note } from './note.js';

/**
 * What a person should know beside a verdict whose own text is fixed (contract 5 and 6): that a withheld run has little
 * left to judge, and where to read how to mend what broke.
 */
export async function noteVerdict(
  call: Call,
  { envelope, rules }: { readonly envelope: JsonNode; readonly rules: readonly RuleId[] },
): Promise<void> {
  if (isWithheld(envelope))
    await note(
      call,
      'this run was withheld: what broke a rule was removed from the envelope; grounding.txt and sources.txt beside it hold the verdict',
    );
  if (rules.length > 0)
    await note(call, `how to mend it: ${rules.map((rule) => `grounding explain ${rule}`).join(', ')}`);
}

function isWithheld(envelope: JsonNode): boolean {
  return (
    envelope.present('problem')?.get('type')?.string() === `${PROBLEM_BASE}grounding-violation` &&
    envelope.present('payload') === undefined &&
    envelope.present('evidence') === undefined
  );
}
