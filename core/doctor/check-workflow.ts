import { parseYaml, type YamlNode } from '../config/index.js';
import type { Place } from '../model/violation.js';
import { findingOf, type SetupFinding, setupFinding } from './setup-finding.js';
import { eventsOf, jobsOf, textOf, under, usesOf, type WorkflowJob } from './workflow-nodes.js';

/** A workflow as it was looked at. */
export interface CheckedWorkflow {
  readonly runsGate: boolean;
  readonly findings: readonly SetupFinding[];
  /** Files and folders that the gate is handed, by input. */
  readonly inputs: readonly HandedInput[];
}

/** An input of the Action that names a path. */
export interface HandedInput {
  readonly name: string;
  readonly value: string;
  /** Where relative paths start, from the repository's root. */
  readonly folder: string;
  readonly place: Place;
}

/** How the Action is called in a workflow: its repository under any owner, since forks and mirrors run it as well. */
const GATE = /(?:^|\/)grounding-gate(?:$|\/)/;

/** Events whose verdict rests on the base commit. */
const BASED = ['pull_request', 'pull_request_target', 'merge_group'];

/** What the gate's token must be allowed to do to tell its verdict. */
const NEEDED = [
  ['contents', ['read', 'write']],
  ['checks', ['write']],
] as const;

/** Inputs that name something in the checkout. */
const PATHS = ['agents', 'profile', 'sources', 'fixtures', 'replay'];

/** Looks a workflow over for what would make the gate blind, red, or a way in. */
export function checkWorkflow(bytes: Uint8Array, { file }: { readonly file: string }): CheckedWorkflow {
  let root: YamlNode;
  try {
    root = parseYaml(bytes, { file }).root;
  } catch (error) {
    return { runsGate: false, findings: [findingOf(error, file)], inputs: [] };
  }
  const events = eventsOf(root);
  const jobs = jobsOf(root).filter(runsGate);
  return {
    runsGate: jobs.length > 0,
    findings: [...targetFindings(root, events), ...jobs.flatMap((job) => jobFindings(job, { root, events }))],
    inputs: jobs.flatMap(({ steps }) => steps.filter(isGate).flatMap(inputsOf)),
  };
}

function isGate(step: YamlNode): boolean {
  return GATE.test(usesOf(step)?.name ?? '');
}

/** A reusable workflow of the gate is used by the job itself, which then has no steps. */
function runsGate({ node, steps }: WorkflowJob): boolean {
  return steps.some(isGate) || isGate(node);
}

interface Workflow {
  readonly root: YamlNode;
  readonly events: ReadonlySet<string>;
}

function jobFindings(job: WorkflowJob, workflow: Workflow): readonly SetupFinding[] {
  const gates = isGate(job.node) ? [job.node] : job.steps.filter(isGate);
  return [
    ...permissionFindings(job, workflow),
    ...(isGate(job.node) ? [] : checkoutFindings(job, workflow)),
    ...gates.flatMap((gate) => gateFindings(gate, job)),
  ];
}

function targetFindings(root: YamlNode, events: ReadonlySet<string>): readonly SetupFinding[] {
  if (!events.has('pull_request_target')) return [];
  return jobsOf(root).flatMap((job) => {
    const heads = job.steps.filter((step) => isCheckout(step) && /head|merge/.test(refOf(step) ?? ''));
    const gates = job.steps.filter(isGate);
    return [...heads, ...gates].slice(0, 1).map((step) =>
      setupFinding({
        check: 'workflow-target',
        place: step.place,
        message:
          heads.length > 0
            ? 'code of a pull request is checked out on pull_request_target, whose token may write'
            : 'the gate runs on pull_request_target, which it refuses',
        remedy: 'run it on pull_request, and let grounding-fork-report.yml tell pull requests of forks',
      }),
    );
  });
}

function permissionFindings({ node }: WorkflowJob, { root, events }: Workflow): readonly SetupFinding[] {
  const permissions = under(node, 'permissions') ?? under(root, 'permissions');
  const told = (place: Place, message: string): SetupFinding =>
    setupFinding({
      check: 'workflow-permissions',
      place,
      message,
      remedy: 'write permissions with contents: read, checks: write, pull-requests: write and actions: read',
    });
  if (permissions === undefined)
    return [told(node.place, 'the workflow does not say what its token may do, which is left to the repository')];
  const all = textOf(permissions);
  if (all === 'write-all') return [];
  const comments = events.has('pull_request') ? ([['pull-requests', ['write']]] as const) : [];
  const lacking = [...NEEDED, ...comments]
    .filter(([name, values]) => !values.some((value) => value === textOf(under(permissions, name))))
    .map(([name, values]) => `${name}: ${values[0]}`);
  return lacking.length === 0 ? [] : [told(permissions.place, `the gate's token lacks ${lacking.join(', ')}`)];
}

function checkoutFindings({ steps }: WorkflowJob, { events }: Workflow): readonly SetupFinding[] {
  const gate = steps.findIndex(isGate);
  const checkout = steps.slice(0, gate).find(isCheckout);
  const place = steps[gate]?.place;
  if (place === undefined) return [];
  if (checkout === undefined)
    return [
      setupFinding({
        check: 'workflow-checkout',
        place,
        message: 'no step before the gate checks the repository out',
        remedy: 'put actions/checkout in front of it',
      }),
    ];
  const based = BASED.some((event) => events.has(event));
  const depth = textOf(under(under(checkout, 'with'), 'fetch-depth'));
  if (!based || depth === '0') return [];
  return [
    setupFinding({
      check: 'workflow-shallow',
      place: checkout.place,
      message: 'the checkout is shallow, so that the base commit, whose configuration binds, is not in it',
      remedy: 'give actions/checkout fetch-depth: 0',
    }),
  ];
}

function gateFindings(gate: YamlNode, { node }: WorkflowJob): readonly SetupFinding[] {
  const { name = '', ref = '' } = usesOf(gate) ?? {};
  const isOwn = name.startsWith('./');
  const isPinned = /^[0-9a-f]{40}$/.test(ref) || /^v[0-9]+(\.[0-9]+)*$/.test(ref);
  const ignored = [gate, node].find((one) => (textOf(under(one, 'continue-on-error')) ?? 'false') !== 'false');
  return [
    ...(isOwn || isPinned
      ? []
      : [
          setupFinding({
            check: 'workflow-unpinned',
            place: gate.place,
            message:
              ref === ''
                ? 'the gate is used without a version'
                : `the gate is taken from ${JSON.stringify(ref)}, which may move`,
            remedy: 'name a version, or better the commit of one',
          }),
        ]),
    ...(ignored === undefined
      ? []
      : [
          setupFinding({
            check: 'workflow-ignored',
            place: ignored.place,
            message: 'with continue-on-error a failure of the gate is shown as success',
            remedy: 'remove continue-on-error',
          }),
        ]),
  ];
}

function inputsOf(gate: YamlNode): readonly HandedInput[] {
  const given = under(gate, 'with');
  const folder = textOf(under(given, 'working-directory')) ?? '.';
  return PATHS.flatMap((name) => {
    const node = under(given, name);
    const values = (textOf(node) ?? '').split('\n').map((line) => line.trim());
    // What an expression comes to is not known here.
    return node === undefined
      ? []
      : values
          .filter((value) => value !== '' && !value.includes('${{'))
          .map((value) => ({ name, value, folder, place: node.place }));
  });
}

function isCheckout(step: YamlNode): boolean {
  return usesOf(step)?.name === 'actions/checkout';
}

function refOf(step: YamlNode): string | undefined {
  return textOf(under(under(step, 'with'), 'ref'));
}
