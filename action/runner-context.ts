import { gateError } from '../core/index.js';

/** What the runner says about the job, from its GITHUB_* and RUNNER_* variables. */
export interface RunnerContext {
  readonly eventName: string;
  readonly eventPath: string;
  readonly owner: string;
  readonly repo: string;
  /** Without a slash at the end. */
  readonly serverUrl: string;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** The commit that the event is about: the merge commit on a pull request. */
  readonly sha: string;
  readonly ref: string;
  readonly actor: string;
  readonly workspace: string;
  /** A folder of the job's own, emptied after it. */
  readonly temp: string;
  readonly runId: number;
  readonly attempt: number;
  readonly job: string;
  /** The workflow's file name, as the API takes it; null when the runner does not say. */
  readonly workflowFile: string | null;
}

/** Reads the job's facts; throws a GateError `runner-context` that names every variable that is missing or malformed. */
export function readRunnerContext(environment: Readonly<Record<string, string | undefined>>): RunnerContext {
  const faults: string[] = [];
  const text = (name: string, pattern: RegExp = /./s): string => {
    const value = environment[name] ?? '';
    if (!pattern.test(value)) faults.push(name);
    return value;
  };
  const repository = text('GITHUB_REPOSITORY', /^[^/\s]+\/[^/\s]+$/);
  const [owner = '', repo = ''] = repository.split('/');
  const address = (name: string): string => text(name, /^https?:\/\/\S+$/).replace(/\/+$/, '');
  const context = {
    eventName: text('GITHUB_EVENT_NAME', /^[a-z_]+$/),
    eventPath: text('GITHUB_EVENT_PATH'),
    owner,
    repo,
    serverUrl: address('GITHUB_SERVER_URL'),
    apiUrl: address('GITHUB_API_URL'),
    graphqlUrl: address('GITHUB_GRAPHQL_URL'),
    sha: text('GITHUB_SHA', /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
    ref: environment['GITHUB_REF'] ?? '',
    actor: text('GITHUB_ACTOR'),
    workspace: text('GITHUB_WORKSPACE'),
    temp: text('RUNNER_TEMP'),
    runId: Number(text('GITHUB_RUN_ID', /^[1-9][0-9]{0,14}$/)),
    attempt: Number(text('GITHUB_RUN_ATTEMPT', /^[1-9][0-9]{0,8}$/)),
    job: environment['GITHUB_JOB'] ?? '',
    workflowFile: workflowFile(environment['GITHUB_WORKFLOW_REF'] ?? ''),
  };
  if (faults.length === 0) return context;
  throw gateError('runner-context', {
    blame: 'configuration',
    message: `the runner's ${faults.join(', ')} is missing or malformed`,
    remedy: 'run the Action in a job of GitHub Actions',
  });
}

/** `owner/repo/.github/workflows/file.yml@ref` names the file in its middle. */
function workflowFile(reference: string): string | null {
  return /^[^/]+\/[^/]+\/\.github\/workflows\/([^/@]+)@/.exec(reference)?.[1] ?? null;
}
