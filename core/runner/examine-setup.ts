import { join, posix } from 'node:path';
import type { AgentRegistry } from '../agents/agent.js';
import { unavailableText } from '../agents/unavailable-text.js';
import {
  checkFixture,
  checkProfile,
  checkWorkflow,
  findingOf,
  type HandedInput,
  type SetupFinding,
  setupFinding,
} from '../doctor/index.js';
import { type Fixture, readFixture, surveyFixtures } from '../fixtures/index.js';
import { diskFixtureFiles } from '../io/fixture-files.js';
import { diskRecordingFiles } from '../io/recording-files.js';
import { createSchemaProcess } from '../io/schema-process.js';
import { isThere, namesIn, unwritableBecause, workflowFiles } from '../io/setup-files.js';
import { sourceFilesFor } from '../io/source-files.js';
import { agentDifferences, findRecording, recordingName, stale } from '../recordings/index.js';
import { pinFaults } from '../sources/index.js';
import { type OpenEntry, type OpenedEach, openEachAgent } from './open-registry.js';
import { readProfile } from './read-profile.js';
import type { SessionSettings } from './session.js';

/** What is looked at; paths are relative to `folder`, which is the process's. */
export interface SetupSettings
  extends Pick<SessionSettings, 'profile' | 'sources' | 'agents' | 'runs' | 'environment'> {
  readonly folder: string;
  /** Fixture files or folders; none stands for the default. */
  readonly fixtures: readonly string[];
  /** The folder of recordings, where there are any. */
  readonly recordings: string;
}

/** Looks for everything that would make the gate blind or red; each part is looked at, whatever is found in another. */
export async function examineSetup(settings: SetupSettings): Promise<readonly SetupFinding[]> {
  const { folder, agents } = settings;
  const found = surveyed(settings);
  const opened = await openEachAgent(settings).catch((error) => ({ registry: NONE, faults: [error], notIsolated: [] }));
  try {
    const reached = { registry: opened.registry, allReached: opened.faults.length === 0 && isWhole(opened.registry) };
    return [
      ...opened.faults.map((fault) => findingOf(fault, agents)),
      ...unreachable(opened, agents),
      ...opened.notIsolated.map(notIsolated),
      ...attempt(settings.profile, () => profileFindings(settings, reached)),
      ...attempt(settings.sources.sourcesPath, () => sourceFindings(settings)),
      ...found.findings,
      ...(await fixtureFindings(found.fixtures, reached)),
      ...withoutFixture(found.fixtures, { registry: opened.registry, file: agents }),
      ...(await recordingFindings(found.fixtures, { settings, registry: opened.registry })),
      ...runsFindings(settings.runs),
      ...workflowFindings(folder),
    ];
  } finally {
    await opened.registry.close();
  }
}

const NONE: AgentRegistry = { agents: new Map(), unavailable: [], incompatible: [], close: () => Promise.resolve() };

interface Reached {
  readonly registry: AgentRegistry;
  readonly allReached: boolean;
}

function isWhole({ unavailable, incompatible }: AgentRegistry): boolean {
  return unavailable.length + incompatible.length === 0;
}

/** What a check finds, or the refusal of what it looked at. */
function attempt(file: string, look: () => readonly SetupFinding[]): readonly SetupFinding[] {
  try {
    return look();
  } catch (error) {
    return [findingOf(error, file)];
  }
}

function unreachable({ registry, faults, notIsolated }: OpenedEach, file: string): readonly SetupFinding[] {
  const { unavailable, incompatible, agents } = registry;
  const told = new Set(
    notIsolated.filter(({ entry }) => entry.isolation === 'required').map(({ entry }) => entry.label),
  );
  const none = agents.size + unavailable.length + incompatible.length + faults.length === 0;
  return [
    ...(none
      ? [
          setupFinding({
            check: 'agent-unreachable',
            place: { file },
            message: 'no agent is reached',
            remedy: 'register one that can be',
          }),
        ]
      : []),
    ...unavailable
      .filter(({ label }) => !told.has(label))
      .map((agent) =>
        setupFinding({
          check: 'agent-unreachable',
          place: { file },
          message: `an agent cannot be reached: ${unavailableText(agent)}`,
          remedy: 'start it, or mend its url',
        }),
      ),
    ...incompatible.map(({ label, theirs, ours }) =>
      setupFinding({
        check: 'agent-incompatible',
        place: { file },
        message: `the agent ${label} was made for contract ${theirs}, this is ${ours}`,
        remedy: 'build it against a version of the agent library that fits',
      }),
    ),
  ];
}

function notIsolated({ entry, reason }: OpenEntry): SetupFinding {
  const { isolation, label, place, places } = entry;
  const then = isolation === 'required' ? 'so that it does not run here' : 'so that it runs in the open here';
  const own = isolation === 'required' ? ', or say isolate: if-possible where it may run in the open' : '';
  return setupFinding({
    check: 'agent-not-isolated',
    place: places.get('isolate') ?? place,
    message: `the agent ${label} is to be isolated and cannot be, ${then}: ${reason}`,
    remedy: `run the gate on Linux with unshare, setpriv, mount and ip, where its user may make user namespaces, and let the gate start the agent${own}`,
  });
}

function profileFindings({ profile: file }: SetupSettings, { registry, allReached }: Reached): readonly SetupFinding[] {
  const profile = readProfile(file);
  const agents = [...registry.agents.values()].map(({ specification }) => specification);
  return checkProfile(profile, { file, agents, allReached });
}

function sourceFindings({ sources }: SetupSettings): readonly SetupFinding[] {
  const { sourcesPath } = sources;
  const { pinned, faults } = pinFaults(sourceFilesFor(sources), sourcesPath);
  if (faults.length > 0) return faults.map((fault) => findingOf(fault, sourcesPath));
  if (pinned > 0) return [];
  return [
    setupFinding({
      check: 'sources-none',
      place: { file: sourcesPath },
      message: 'no copy of a source is pinned, so that no citation is ever verified',
      remedy: 'pin one with grounding pin',
    }),
  ];
}

interface Surveyed {
  readonly fixtures: readonly Fixture[];
  readonly findings: readonly SetupFinding[];
}

function surveyed({ folder, fixtures: targets }: SetupSettings): Surveyed {
  const files = diskFixtureFiles(folder);
  const where = targets.length === 0 ? 'fixtures' : targets.join(', ');
  const fixtures: Fixture[] = [];
  const findings = attempt(where, () => {
    const { paths, orphans } = surveyFixtures(files, targets);
    const refused = paths.flatMap((path) =>
      attempt(path, () => {
        fixtures.push(readFixture(files, path));
        return [];
      }),
    );
    const none = paths.length > 0 ? [] : [nothingMatches(where)];
    return [...none, ...refused, ...orphans.map((orphan) => findingOf(orphan, where))];
  });
  return { fixtures, findings };
}

function nothingMatches(file: string): SetupFinding {
  return {
    check: 'fixtures-none',
    file,
    line: null,
    message: 'no fixture is found, so that nothing is judged',
    remedy: 'write one, or let grounding init do so',
    looked: true,
  };
}

async function fixtureFindings(
  fixtures: readonly Fixture[],
  { registry, allReached }: Reached,
): Promise<readonly SetupFinding[]> {
  const schemas = createSchemaProcess();
  try {
    const agents = new Map([...registry.agents].map(([id, { specification }]) => [id, specification]));
    const found: SetupFinding[] = [];
    for (const fixture of fixtures) found.push(...(await checkFixture(fixture, { agents, allReached, schemas })));
    return found;
  } finally {
    await schemas.close();
  }
}

function withoutFixture(
  fixtures: readonly Fixture[],
  { registry, file }: { readonly registry: AgentRegistry; readonly file: string },
): readonly SetupFinding[] {
  const asked = new Set(fixtures.map(({ agentId }) => agentId));
  return [...registry.agents.keys()]
    .filter((agentId) => !asked.has(agentId))
    .map((agentId) =>
      setupFinding({
        check: 'agent-without-fixture',
        place: { file },
        message: `no fixture asks for the agent ${agentId}, so that nothing of it is judged`,
        remedy: `write one with "agent_id": ${JSON.stringify(agentId)}`,
      }),
    );
}

async function recordingFindings(
  fixtures: readonly Fixture[],
  { settings, registry }: { readonly settings: SetupSettings; readonly registry: AgentRegistry },
): Promise<readonly SetupFinding[]> {
  const { recordings: path, folder } = settings;
  const names = new Set(namesIn(join(folder, path)));
  if (names.size === 0) return [];
  const files = diskRecordingFiles({ path, folder });
  const found: SetupFinding[] = [];
  for (const { file, request, expectation } of fixtures) {
    for (let repeat = 1; repeat <= expectation.repeat; repeat++) {
      names.delete(recordingName({ fixture: file, repeat }));
      try {
        const { recording, file: at } = await findRecording(files, {
          fixture: file,
          repeat,
          request,
          offline: expectation.offline,
        });
        for (const { agent } of [recording.run, ...recording.children]) {
          const today = registry.agents.get(agent.agentId)?.specification;
          const differences = today === undefined ? [] : agentDifferences(agent, today);
          if (differences.length > 0)
            throw stale(at, `the agent ${agent.agentId} is another one than then: ${differences.join(', ')}`);
        }
      } catch (error) {
        found.push(findingOf(error, path));
      }
    }
  }
  return [...found, ...[...names].map((name) => orphanRecording(posix.join(path, name)))];
}

function orphanRecording(file: string): SetupFinding {
  return setupFinding({
    check: 'recording-orphan',
    place: { file },
    message: 'this is a recording of no fixture that there is',
    remedy: 'remove it',
  });
}

function runsFindings(runs: string): readonly SetupFinding[] {
  const reason = unwritableBecause(runs);
  if (reason === null) return [];
  return [
    setupFinding({
      check: 'runs-unwritable',
      place: { file: runs },
      message: `the runs folder cannot be written (${reason})`,
      remedy: 'make it writable, or name another with --runs',
    }),
  ];
}

function workflowFindings(folder: string): readonly SetupFinding[] {
  const checked = workflowFiles(folder).map(({ file, bytes }) => checkWorkflow(bytes, { file }));
  const none = isThere(join(folder, '.github')) && !checked.some(({ runsGate }) => runsGate);
  return [
    ...(none
      ? [
          setupFinding({
            check: 'workflow-none',
            place: { file: '.github/workflows' },
            message: 'no workflow runs the gate',
            remedy: 'let grounding init write one',
          }),
        ]
      : []),
    ...checked.flatMap(({ findings, inputs }) => [
      ...findings,
      ...inputs.flatMap((input) => missingInput(folder, input)),
    ]),
  ];
}

function missingInput(folder: string, { name, value, folder: below, place }: HandedInput): readonly SetupFinding[] {
  if (isThere(join(folder, below, value))) return [];
  return [
    setupFinding({
      check: 'workflow-path',
      place,
      message: `the input ${name} names ${JSON.stringify(value)}, which is not there`,
      remedy: 'mend the path, which starts at working-directory',
    }),
  ];
}
