import { appOf, type Call, found, numberOf, ok, paged, type Route, reads, textOf, writes } from '../http/call.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { annotationOf, checkRunOf, checkSuiteOf } from '../render/checks.js';
import type { Annotation, CheckAction, CheckOutput, CheckRun } from '../state/records.js';
import { checkOutputLimits } from './check-limits.js';
import { commitAt } from './repositories.js';

type Output = { title?: string; summary?: string; text?: string; annotations?: Annotation[] };

const outputOf = (call: Call) => call.body['output'] as Output | undefined;

function checkState(call: Call): { readonly status?: string; readonly conclusion?: string } {
  const conclusion = textOf(call, 'conclusion');
  const status = conclusion === undefined ? textOf(call, 'status') : 'completed';
  if (status === 'completed' && conclusion === undefined)
    throw invalidRequest('"conclusion" wasn\'t supplied, and a completed check run needs one.');
  if (conclusion === 'stale') throw invalidRequest('Only GitHub may conclude a check run as stale.');
  return { ...(status === undefined ? {} : { status }), ...(conclusion === undefined ? {} : { conclusion }) };
}

function create(call: Call) {
  const { repository, world } = call;
  const sha = textOf(call, 'head_sha') ?? '';
  if (repository.store.commit(sha) === undefined) throw new ApiError(422, `No commit found for SHA: ${sha}`);
  const output = outputOf(call);
  checkOutputLimits(call, output);
  const { status = 'queued', conclusion = null } = checkState(call);
  const app = appOf(call) ?? 0;
  const now = world.now();
  const run = repository.checks.create({
    app,
    headSha: sha,
    name: textOf(call, 'name') ?? '',
    status,
    conclusion,
    startedAt: textOf(call, 'started_at') ?? now,
    completedAt: textOf(call, 'completed_at') ?? (status === 'completed' ? now : null),
    externalId: textOf(call, 'external_id') ?? '',
    detailsUrl: textOf(call, 'details_url') ?? `${world.addresses.site}/apps/${world.apps.get(app)?.slug}`,
    output: merged({ title: null, summary: null, text: null }, output),
    actions: (call.body['actions'] as CheckAction[] | undefined) ?? [],
  });
  run.annotations.push(...(output?.annotations ?? []));
  return { status: 201, body: checkRunOf(repository, run) };
}

const merged = (old: CheckOutput, output: Output | undefined): CheckOutput => ({
  title: output?.title ?? old.title,
  summary: output?.summary ?? old.summary,
  text: output?.text ?? old.text,
});

const runAt = (call: Call) => found(call.repository.checks.find(numberOf(call, 'check_run_id')));

function update(call: Call) {
  const run = runAt(call);
  if (run.app !== appOf(call))
    throw new ApiError(
      403,
      `Invalid app_id \`${appOf(call)}\` - check run can only be modified by the GitHub App that created it.`,
    );
  const output = outputOf(call);
  checkOutputLimits(call, output);
  const { status, conclusion } = checkState(call);
  if (status !== undefined) setStatus(call, { run, status, conclusion });
  run.name = textOf(call, 'name') ?? run.name;
  run.externalId = textOf(call, 'external_id') ?? run.externalId;
  run.detailsUrl = textOf(call, 'details_url') ?? run.detailsUrl;
  run.startedAt = textOf(call, 'started_at') ?? run.startedAt;
  run.output = merged(run.output, output);
  run.actions = (call.body['actions'] as CheckAction[] | undefined) ?? run.actions;
  // Later annotations are added to earlier ones, never put in their place.
  run.annotations.push(...(output?.annotations ?? []));
  return ok(checkRunOf(call.repository, run));
}

function setStatus(call: Call, change: { run: CheckRun; status: string; conclusion: string | undefined }): void {
  const { run, status } = change;
  run.status = status;
  run.conclusion = change.conclusion ?? null;
  run.completedAt = status === 'completed' ? (textOf(call, 'completed_at') ?? call.world.now()) : null;
}

function listAnnotations(call: Call) {
  const run = runAt(call);
  return paged(call, run.annotations, (some) =>
    some.map((annotation) => annotationOf(call.repository, { run, annotation })),
  );
}

function listRuns(call: Call, all: readonly CheckRun[]) {
  const { query } = call;
  const newest = [...all].reverse();
  const seen = new Set<string>();
  // Of check runs of one name and app only the newest counts, unless all are asked for.
  const latest = newest.filter((run) => {
    const key = `${run.app} ${run.name}`;
    return query.get('filter') === 'all' || (!seen.has(key) && seen.add(key));
  });
  const wanted = latest
    .filter((run) => run.name === (query.get('check_name') ?? run.name))
    .filter((run) => run.status === (query.get('status') ?? run.status))
    .filter((run) => String(run.app) === (query.get('app_id') ?? String(run.app)));
  return paged(call, wanted, (some) => ({
    total_count: wanted.length,
    check_runs: some.map((run) => checkRunOf(call.repository, run)),
  }));
}

function listForRef(call: Call) {
  const { sha } = commitAt(call, call.params['ref'] ?? '');
  return listRuns(
    call,
    call.repository.checks.runs.filter((run) => run.headSha === sha),
  );
}

const suiteAt = (call: Call) => {
  const id = numberOf(call, 'check_suite_id');
  return found(call.repository.checks.suites.find((suite) => suite.id === id));
};

function listForSuite(call: Call) {
  const { id } = suiteAt(call);
  return listRuns(
    call,
    call.repository.checks.runs.filter((run) => run.suite === id),
  );
}

function listSuites(call: Call) {
  const { sha } = commitAt(call, call.params['ref'] ?? '');
  const { query, repository } = call;
  const suites = repository.checks.suites
    .filter((suite) => suite.headSha === sha)
    .filter((suite) => String(suite.app) === (query.get('app_id') ?? String(suite.app)))
    .filter((suite) => {
      const name = query.get('check_name');
      return name === null || repository.checks.runs.some((run) => run.suite === suite.id && run.name === name);
    });
  return paged(call, suites, (some) => ({
    total_count: suites.length,
    check_suites: some.map((suite) => checkSuiteOf(repository, suite)),
  }));
}

/** Check runs and suites. */
export const checks: Readonly<Record<string, Route>> = {
  'checks/create': writes(['checks'], create),
  'checks/update': writes(['checks'], update),
  'checks/get': reads(['checks'], (call) => ok(checkRunOf(call.repository, runAt(call)))),
  'checks/list-annotations': reads(['checks'], listAnnotations),
  'checks/list-for-ref': reads(['checks'], listForRef),
  'checks/list-for-suite': reads(['checks'], listForSuite),
  'checks/list-suites-for-ref': reads(['checks'], listSuites),
  'checks/get-suite': reads(['checks'], (call) => ok(checkSuiteOf(call.repository, suiteAt(call)))),
};
