import type { Agent } from '../agents/agent.js';
import type { AgentSpecification } from '../agents/specification.js';
import { specificationJson } from '../agents/specification-json.js';
import { classSchemaOf } from '../contract/class-schema.js';
import { jsonOf } from '../json/index.js';
import type { RecordedAgent } from './recording.js';

/** What a recording keeps of an agent. */
export function recordedAgent({ specification, address }: Pick<Agent, 'specification' | 'address'>): RecordedAgent {
  const { agentId, version, contractVersion, groundingMode, accepts, payload } = specification;
  const whole = specificationJson(specification, ({ digest, schema }) => ({ digest, json_schema: schema }));
  const service = address === undefined ? null : { address, specification: jsonOf(whole) };
  return {
    agentId,
    version,
    contractVersion,
    groundingMode,
    accepts,
    payload,
    classes: classesOf(specification),
    service,
  };
}

/**
 * In what an agent is another one than when it was recorded, a clause each; empty when a recording of it still holds.
 * Description, derivations and action class are left out: they are read anew, and decide nothing about what was answered.
 */
export function agentDifferences(recorded: RecordedAgent, specification: AgentSpecification): readonly string[] {
  const clauses: string[] = [];
  const compare = (what: string, values: { readonly before: string; readonly now: string }): void => {
    if (values.before !== values.now) clauses.push(`the ${what} was ${values.before} and is ${values.now}`);
  };
  compare("agent's version", { before: recorded.version, now: specification.version });
  compare('contract version', { before: recorded.contractVersion, now: specification.contractVersion });
  compare('grounding mode', { before: recorded.groundingMode, now: specification.groundingMode });
  compare('payload class', { before: recorded.payload ?? 'none', now: specification.payload ?? 'none' });
  compare('list of input classes', { before: recorded.accepts.join(' '), now: specification.accepts.join(' ') });
  return [...clauses, ...classDifferences(recorded.classes, classesOf(specification))];
}

function classDifferences(then: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] {
  const names = [...new Set([...then.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    const [before, after] = [then.get(name), now.get(name)];
    if (before === after) return [];
    const how = before === undefined ? 'is new' : after === undefined ? 'is gone' : 'is another one';
    return [`the schema of the class ${JSON.stringify(name)} ${how}`];
  });
}

/** The contract's own classes stand in for what an agent declares under their names. */
function classesOf({ accepts, payload, schemas }: AgentSpecification): ReadonlyMap<string, string> {
  const names = new Set([...schemas.keys(), ...accepts, ...(payload === null ? [] : [payload])]);
  return new Map(
    [...names].sort().flatMap((name): [string, string][] => {
      const digest = classSchemaOf(name, schemas)?.digest;
      return digest === undefined ? [] : [[name, digest]];
    }),
  );
}
