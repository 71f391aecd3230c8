import { checkClass } from '../contract/check-class.js';
import type { SchemaDocument } from '../contract/class-schema.js';
import { faultsText } from '../contract/faults.js';
import { assertNever } from '../model/assert-never.js';
import { didYouMean } from '../model/nearest.js';
import { type Draft, failedDraft } from './draft.js';
import type { RunContext } from './run-context.js';

/** The schema that the input fits, or the draft of a run whose agent does not read it (conductor.txt, step 2). */
export type InputCheck =
  | { readonly kind: 'accepted'; readonly schema: SchemaDocument }
  | { readonly kind: 'refused'; readonly draft: Draft };

/** Checks the input against the class schema of the agent that is to read it. */
export async function checkInput({ deps, agent, accepted }: RunContext): Promise<InputCheck> {
  const { accepts, agentId, schemas } = agent.specification;
  const { inputClass, invocationId } = accepted;
  const refuse = (slug: 'input-not-accepted' | 'agent-error', detail: string): InputCheck => ({
    kind: 'refused',
    draft: failedDraft(slug, { invocationId, detail }),
  });
  if (!accepts.includes(inputClass)) {
    const known = accepts.join(', ');
    return refuse(
      'input-not-accepted',
      `the agent ${agentId} does not read ${inputClass}${didYouMean(inputClass, accepts)}; it reads: ${known}`,
    );
  }
  const check = await checkClass(accepted.input, { name: inputClass, declared: schemas, checker: deps.schemas });
  switch (check.kind) {
    case 'valid':
      return { kind: 'accepted', schema: check.schema };
    case 'invalid':
      return refuse(
        'input-not-accepted',
        `the input does not fit the class ${inputClass}: ${faultsText(check.faults)}`,
      );
    case 'refused':
      return refuse('agent-error', `the input could not be checked: ${check.message}`);
    default:
      return assertNever(check);
  }
}
