import type { AgentRegistry } from '../agents/agent.js';
import { parseSpecification } from '../agents/parse-specification.js';
import type { AgentSpecification } from '../agents/specification.js';
import { type Conductor, createConductor } from '../conductor/conductor.js';
import type { InvokedRun, RunStore } from '../conductor/ports.js';
import type { ConductorDeps } from '../conductor/run-context.js';
import type { Fixture } from '../fixtures/index.js';
import { composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';
import type { Principal } from '../model/principal.js';
import {
  agentDifferences,
  type FoundRecording,
  findRecording,
  type RecordedRun,
  type RecordingFiles,
  type ReplayedChild,
  replayAgent,
  replayDoor,
  replayWorld,
  stale,
  toldHash,
} from '../recordings/index.js';
import { createTracer } from '../trace/tracer.js';
import type { Session } from './session.js';

/** Judges the recorded runs of fixtures again. */
export interface Replay {
  /** Rejects with GateError `recording-*` for a run whose recording is missing, was altered, or does not fit any more. */
  run(asked: { readonly fixture: Fixture; readonly index: number }): Promise<InvokedRun>;
  /** What a reader should know of the replay, a line each. */
  notices(): readonly string[];
}

/** What a replay is made from: a session that was opened for it, the recordings, and for whom it is. */
export interface ReplayOptions {
  /** Where the recordings of a fixture are, and the path of its that they were made of. */
  readonly recordingsOf: (fixture: Fixture) => { readonly files: RecordingFiles; readonly fixture: string };
  readonly principal: Principal;
}

/** Where delegated requests of a replay would be taken; nothing listens there, since no agent is called. */
const NOWHERE = 'urn:grounding-gate:replay';

/**
 * Opens a replay. Every recorded run goes through a conductor of its own, which reads the recorded clock and ids and whose only
 * agent gives what was recorded: under the same profile, pins and principal, the same files come out to the byte.
 */
export function openReplay(session: Pick<Session, 'deps' | 'registry' | 'grants'>, options: ReplayOptions): Replay {
  session.grants.openAt(NOWHERE);
  const deps = { ...session.deps, store: marked(session.deps.store) };
  const unasked = new Map<string, string>();
  let count = 0;
  return {
    async run({ fixture, index }) {
      const { files, fixture: name } = options.recordingsOf(fixture);
      const { request, expectation } = fixture;
      const { offline, require } = expectation;
      const found = await findRecording(files, { fixture: name, repeat: index, request, offline });
      const replaying: Replaying = { deps, registry: session.registry, found, unasked };
      const run = await conductorFor(replaying, found.recording.run).invoke({
        request: asRecorded(request, found.recording.run),
        principal: options.principal,
        ...(require === null ? {} : { require }),
      });
      count++;
      return run;
    },
    notices: () => [
      `replayed: ${count} ${count === 1 ? 'run was' : 'runs were'} judged again from recordings, no agent was called`,
      ...unasked.values(),
    ],
  };
}

interface Replaying {
  readonly deps: ConductorDeps;
  readonly registry: AgentRegistry;
  readonly found: FoundRecording;
  /** Agents that cannot be asked what they are today, with what is said of it. */
  readonly unasked: Map<string, string>;
}

function conductorFor(replaying: Replaying, run: RecordedRun): Conductor {
  const { deps, found } = replaying;
  const specification = specificationNow(replaying, run);
  const { clock, traceClock, ids } = replayWorld(run);
  const children = (token: string): Promise<readonly ReplayedChild[]> =>
    replayChildren(replaying, { parent: run, token });
  const agents =
    specification === null
      ? new Map()
      : new Map([[run.agent.agentId, replayAgent({ run, specification, file: found.file, children })]]);
  return createConductor({
    ...deps,
    clock,
    doors: [replayDoor(run)],
    tracer: createTracer({ clock: traceClock, ids }),
    registry: { ...replaying.registry, ...(specification === null ? {} : { agents }) },
  });
}

/** What an agent declares today; null when it is not registered, which the conductor says better. */
function specificationNow({ registry, found, unasked }: Replaying, { agent }: RecordedRun): AgentSpecification | null {
  const { file } = found;
  const { agentId, service, version } = agent;
  const today = registry.agents.get(agentId)?.specification;
  if (today !== undefined) {
    const differences = agentDifferences(agent, today);
    if (differences.length > 0)
      throw stale(file, `the agent ${agentId} is another one than then: ${differences.join(', ')}`);
    return today;
  }
  const away = registry.unavailable.find(({ address }) => address !== undefined && address === service?.address);
  if (service === null || away === undefined) return null;
  unasked.set(
    agentId,
    `the service of ${agentId} cannot be asked what it is today (${away.reason}): that it is still version ${version} is the recording's word`,
  );
  return parseSpecification(service.specification, { label: `the recording ${file}` });
}

/** Runs what a parent delegated once more; each child must tell its parent what it told it then. */
async function replayChildren(
  replaying: Replaying,
  { parent, token }: { readonly parent: RecordedRun; readonly token: string },
): Promise<readonly ReplayedChild[]> {
  const { recording, file } = replaying.found;
  if (parent !== recording.run) return [];
  const replayed: ReplayedChild[] = [];
  for (const child of recording.children) {
    const { link = '' } = replayWorld(child);
    const request = withoutPlacement(child.request);
    const { envelope } = await conductorFor(replaying, child).invokeDelegated({ request, token, traceparent: link });
    if (toldHash(envelope) !== child.toldHash)
      throw stale(
        file,
        `the run ${child.invocationId} that it delegated to ${child.agent.agentId} ends otherwise than it did then`,
      );
    replayed.push({ before: child.envelopeHash, now: hashOf(envelope, 'dd-envelope-json-v1') });
  }
  return replayed;
}

/** The fixture's request with the id and the time that it had then. */
function asRecorded(request: JsonNode, { request: then }: RecordedRun): JsonNode {
  const members = new Map(request.entries());
  for (const key of ['invocation_id', 'issued_at']) {
    const value = then.get(key);
    if (value !== undefined && !members.has(key)) members.set(key, value);
  }
  return parseJson(composeJson(members), { file: request.place().file });
}

/** A child's request as its parent made it: what the conductor put in comes from the grant again. */
function withoutPlacement(request: JsonNode): JsonNode {
  const set = ['parent_invocation_id', 'project_id', 'conversation_id'];
  return parseJson(composeJson(new Map(request.entries().filter(([key]) => !set.includes(key)))), {
    file: '<recording>',
  });
}

/** A store whose crates say that the run was replayed. */
function marked(inner: RunStore): RunStore {
  return {
    ...inner,
    write: (run) => inner.write(run.crate === null ? run : { ...run, crate: { ...run.crate, replayed: true } }),
  };
}
