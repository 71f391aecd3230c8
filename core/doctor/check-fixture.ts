import type { AgentSpecification } from '../agents/specification.js';
import { checkClass } from '../contract/check-class.js';
import { faultsText } from '../contract/faults.js';
import type { SchemaChecker } from '../contract/ports.js';
import { type Fixture, TO_FILL_IN } from '../fixtures/index.js';
import type { JsonNode } from '../json/index.js';
import { nearest } from '../model/nearest.js';
import { type SetupFinding, setupFinding } from './setup-finding.js';

/** What a fixture is held against. */
export interface FixtureSurroundings {
  readonly agents: ReadonlyMap<string, AgentSpecification>;
  /** Whether every entry of agents.yaml led to an agent; where not, an unknown one may be theirs. */
  readonly allReached: boolean;
  readonly schemas: SchemaChecker;
}

/** Everything about a fixture that would keep it from being judged, or make it fail whatever its agent does. */
export async function checkFixture(
  fixture: Fixture,
  { agents, allReached, schemas }: FixtureSurroundings,
): Promise<readonly SetupFinding[]> {
  const { request, agentId, expectation } = fixture;
  const input = request.get('input');
  if (input === undefined) return [];
  const left = firstTemplate(input);
  if (left !== null)
    return [
      setupFinding({
        check: 'fixture-template',
        place: left.place(),
        message: `the fixture still says ${JSON.stringify(left.string())}`,
        remedy: 'put a value of your own in its place',
      }),
    ];
  const agent = agents.get(agentId);
  if (agent === undefined) return allReached ? [unknownAgent(fixture, agents)] : [];
  if (expectation.problem !== null && expectation.problem !== 'grounding-violation') return [];
  return inputFindings({ fixture, input, agent, schemas });
}

function unknownAgent({ request, agentId, file }: Fixture, agents: FixtureSurroundings['agents']): SetupFinding {
  const meant = nearest(agentId, new Set(agents.keys()));
  return setupFinding({
    check: 'fixture-agent',
    place: request.get('agent_id')?.place() ?? { file },
    message: `no entry of agents.yaml leads to an agent ${JSON.stringify(agentId)}`,
    remedy: meant === null ? 'register it, or name one that is registered' : `did you mean ${JSON.stringify(meant)}?`,
  });
}

async function inputFindings(given: {
  readonly fixture: Fixture;
  readonly input: JsonNode;
  readonly agent: AgentSpecification;
  readonly schemas: SchemaChecker;
}): Promise<readonly SetupFinding[]> {
  const { fixture, input, agent, schemas } = given;
  const name = input.get('schema_class')?.string() ?? '';
  if (!agent.accepts.includes(name))
    return [
      setupFinding({
        check: 'fixture-class',
        place: (input.get('schema_class') ?? input).place(),
        message: `the agent ${agent.agentId} does not read ${JSON.stringify(name)}`,
        remedy: `give an input of ${agent.accepts.join(' or ')}, or expect problem: input-not-accepted`,
      }),
    ];
  const check = await checkClass(input, { name, declared: agent.schemas, checker: schemas });
  if (check.kind === 'valid') return [];
  const why = check.kind === 'invalid' ? faultsText(check.faults) : check.message;
  const [first] = check.kind === 'invalid' ? check.faults : [];
  const place = (input.locate(first?.pointer ?? '') ?? input).place();
  return [
    setupFinding({
      check: 'fixture-input',
      place: { ...place, file: fixture.file },
      message: `the input does not fit the class ${name}: ${why}`,
      remedy: 'mend the input, or expect problem: input-not-accepted',
    }),
  ];
}

/** The first text that was left to be filled in; walks without recursion, since a fixture may nest as deep as it likes. */
function firstTemplate(input: JsonNode): JsonNode | null {
  const waiting = [input];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.string()?.startsWith(TO_FILL_IN)) return node;
    waiting.push(...[...node.items(), ...node.entries().map(([, value]) => value)].reverse());
  }
  return null;
}
