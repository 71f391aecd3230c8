import { checkClass } from '../contract/check-class.js';
import type { JsonNode } from '../json/index.js';
import { PROBLEM_BASE } from '../model/outcome.js';
import type { Place } from '../model/violation.js';
import type { Session } from './session.js';

/**
 * `file:line:column: why` for a run whose agent does not read its input, with the place in the file that the request came
 * from: the stored run knows the request alone. Null for every other run.
 */
export async function whereInputFails(
  session: Pick<Session, 'registry' | 'deps'>,
  run: { readonly request: JsonNode; readonly envelope: JsonNode },
): Promise<string | null> {
  const problem = run.envelope.get('problem');
  if (problem?.get('type')?.string() !== `${PROBLEM_BASE}input-not-accepted`) return null;
  const place = await placeOfFault(session, run.request);
  if (place === undefined) return null;
  return `${place.file}:${place.line}:${place.column}: ${problem.get('detail')?.string() ?? ''}`;
}

async function placeOfFault(
  { registry, deps }: Pick<Session, 'registry' | 'deps'>,
  request: JsonNode,
): Promise<Place | undefined> {
  const input = request.get('input');
  const agent = registry.agents.get(request.get('agent_id')?.string() ?? '');
  if (input === undefined || agent === undefined) return undefined;
  const { accepts, schemas } = agent.specification;
  const name = input.get('schema_class')?.string() ?? '';
  if (!accepts.includes(name)) return (input.get('schema_class') ?? input).place();
  const check = await checkClass(input, { name, declared: schemas, checker: deps.schemas });
  if (check.kind !== 'invalid') return undefined;
  // The conductor drops null members before it looks.
  const wrong = check.faults.map(({ pointer }) => input.locate(pointer)).find((node) => node?.kind !== 'null');
  return wrong?.place();
}
