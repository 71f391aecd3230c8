import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import {
  createGitHubClient,
  GateError,
  type GitHubApi,
  gateError,
  type JsonNode,
  parseAgentsConfig,
  parseJson,
  type RepositoryName,
  type Transport,
} from '../core/index.js';
import { baseOf, isPrivate, parseEvent, type Trigger } from './events.js';
import { type Inputs, parseInputs, readInputs } from './inputs.js';
import type { GitCheckout } from './ports.js';
import { type RunnerContext, readRunnerContext } from './runner-context.js';
import { createRedactor, type Redactor } from './secrets.js';
import type { ActionWorld } from './world.js';

/** Everything that is known before anything is judged. */
export interface Job {
  readonly inputs: Inputs;
  readonly context: RunnerContext;
  readonly trigger: Trigger;
  readonly repository: RepositoryName;
  readonly api: GitHubApi;
  readonly redactor: Redactor;
  /** Payload, input and principal stay in the job. */
  readonly redact: boolean;
  /** Real path of the working directory, where relative inputs start. */
  readonly folder: string;
}

/** The working tree that a job judges. */
export interface Place {
  readonly checkout: GitCheckout | null;
  /** The repository's root, and the working directory as seen from it, with `/`; empty when they are one. */
  readonly root: string;
  readonly prefix: string;
  /** The commit whose configuration binds; null where the commit itself binds. */
  readonly base: string | null;
  /** The base has gained something that is not checked out, and that looks as if the pull request had taken it away. */
  readonly behind: boolean;
}

/** Reads and parses what the runner hands over; throws a GateError of blame `configuration` for whatever cannot be. */
export function readJob(world: ActionWorld): Job {
  const { environment, files } = world;
  const inputs = parseInputs(readInputs(environment));
  const context = readRunnerContext(environment);
  const payload = readPayload(world, context);
  const folder = workingDirectory(world, { inputs, context });
  if (!files.isFolder(folder)) throw missing('working-directory', folder);
  const { owner, repo } = context;
  const agentVariables = variablesOf(files.read(resolve(folder, inputs.agents)), inputs.agents);
  const transport = inputs.token === '' ? NO_TOKEN : world.github({ token: inputs.token, apiUrl: context.apiUrl });
  return {
    inputs,
    context,
    trigger: parseEvent(payload, context),
    repository: { owner, repo },
    api: createGitHubClient({ transport, pause: world.pause }),
    redactor: createRedactor(environment, { token: inputs.token, agentVariables }),
    // A repository of which nobody says that it is private is taken for a public one.
    redact: inputs.redact ?? isPrivate(payload) !== true,
    folder,
  };
}

/** Without a token nothing is asked of GitHub: every sink says so, and the verdict stands. */
const NO_TOKEN: Transport = {
  send: async () => ({
    kind: 'answer',
    status: 401,
    headers: new Map(),
    body: { message: 'the input token is empty' },
  }),
};

function readPayload({ files }: ActionWorld, { eventPath }: RunnerContext): JsonNode {
  const bytes = files.read(eventPath);
  if (bytes === null) throw missing('GITHUB_EVENT_PATH', eventPath);
  return parseJson(bytes, { file: 'the event' });
}

/**
 * Git names the working tree by its real path, so that everything else has to. The folder must be the one that the workflow names: a pull
 * request that puts a link in its place would move the job to where the base has nothing that binds.
 */
function workingDirectory(
  { files }: ActionWorld,
  { inputs, context }: { readonly inputs: Inputs; readonly context: RunnerContext },
): string {
  const workspace = files.realPath(context.workspace);
  const { workingDirectory: named } = inputs;
  const folder = files.realPath(resolve(workspace, named));
  const refused = (message: string): Error =>
    gateError('config-outside', {
      blame: 'configuration',
      message,
      remedy: 'name a plain folder of the checkout',
      place: { file: named },
    });
  const steps = relative(workspace, folder);
  if (steps === '..' || steps.startsWith(`..${sep}`) || isAbsolute(steps))
    throw refused('working-directory leads out of the workspace');
  if (![workspace, context.workspace].some((from) => folder === join(workspace, relative(from, resolve(from, named)))))
    throw refused('a link stands on the way to working-directory');
  return folder;
}

function missing(what: string, file: string): Error {
  return gateError('config-missing', {
    blame: 'configuration',
    message: `what ${what} names is not there`,
    remedy: 'check the repository out before this step',
    place: { file },
  });
}

/** The variables that agents are given, whose values they may print. A file that is refused is refused again when it is used. */
function variablesOf(agents: Uint8Array | null, file: string): readonly string[] {
  try {
    return agents === null ? [] : parseAgentsConfig(agents, { file }).flatMap(({ env }) => env.map(({ name }) => name));
  } catch (error) {
    if (error instanceof GateError) return [];
    throw error;
  }
}

/**
 * Opens the checkout. Throws GateError `checkout-differs` when what is checked out is not what the event is about: its verdict would be
 * shown on a commit that nobody judged.
 */
export async function openPlace(world: ActionWorld, { trigger, context, folder }: Job): Promise<Place> {
  const checkout = await world.openCheckout(folder);
  const root = checkout?.root ?? world.files.realPath(context.workspace);
  const prefix = relative(root, folder).split(sep).join(posix.sep);
  // A fork's runs are judged by the copies that are here: nobody could tell whose they are.
  if (checkout === null && trigger.kind === 'workflow-run')
    throw gateError('checkout-differs', {
      blame: 'configuration',
      message: 'the workspace is no git checkout, so that nothing says whose pinned copies it holds',
      remedy: 'check out with git; where it is not installed, actions/checkout downloads files alone',
    });
  if (checkout !== null) {
    const head = await checkout.head();
    // After another workflow's run only the default branch may be here: its pins judge what a fork has stored.
    const wanted = trigger.kind === 'workflow-run' ? [context.sha] : [context.sha, trigger.headSha];
    if (!wanted.includes(head))
      throw gateError('checkout-differs', {
        blame: 'configuration',
        message: `${head} is checked out, and the event is about ${context.sha}`,
        remedy: 'let actions/checkout take the commit that it takes by itself',
      });
  }
  const base = await bindingCommit(checkout, { trigger, context });
  const behind = trigger.kind === 'pull-request' && (await checkout?.contains(trigger.baseSha)) === false;
  return { checkout, root, prefix, base, behind };
}

/**
 * GitHub's merge commit of a pull request names the base that it was merged into, which may be newer than the event's: what the base has
 * gained since is in the working tree, and must not look like the pull request's doing.
 */
async function bindingCommit(
  checkout: GitCheckout | null,
  { trigger, context }: Pick<Job, 'trigger' | 'context'>,
): Promise<string | null> {
  const named = baseOf(trigger);
  if (checkout === null || trigger.kind !== 'pull-request' || (await checkout.head()) !== context.sha) return named;
  const [base, head, ...more] = await checkout.parents(context.sha);
  const isMerge =
    base !== undefined && head === trigger.headSha && more.length === 0 && context.sha !== trigger.headSha;
  return isMerge ? base : named;
}
