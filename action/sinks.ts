import {
  type CheckConclusion,
  confirmComment,
  keepComment,
  type Marker,
  type OpenCheck,
  openCheck,
  type Refused,
  renderLogCommands,
} from '../core/index.js';
import { backendIds, uploadArtifact } from './artifact.js';
import { artifactFiles, type ToStore } from './artifact-files.js';
import type { Job } from './job.js';
import { refusalNote, type SinkNotes } from './sink.js';
import { runUrl, type Texts } from './told.js';
import type { ActionWorld } from './world.js';
import { writeZip } from './zip.js';

/** What every sink is handed: none of them throws, and each says in the notes what it could not tell. */
export interface Telling {
  readonly world: ActionWorld;
  readonly job: Job;
  readonly notes: SinkNotes;
}

/** Opens the check run of the commit that is judged; null when GitHub refuses one. */
export async function startCheck({ world, job, notes }: Telling): Promise<OpenCheck | null> {
  const { context, inputs, repository, trigger } = job;
  const check = await openCheck(job.api, {
    repository,
    name: inputs.checkName,
    headSha: trigger.headSha,
    status: 'in_progress',
    externalId: `${context.runId}/${context.attempt}/${context.job}`,
    detailsUrl: runUrl(job),
    startedAt: world.now(),
  });
  if (!('kind' in check)) return check;
  notes.add(refusalNote('check run', { refused: check, permission: 'checks: write' }));
  return null;
}

/** Concludes the check run; where there is none, or it was refused, the log takes the annotations. */
export async function tellCheck(
  { world, job, notes }: Telling,
  {
    check,
    texts,
    conclusion,
  }: { readonly check: OpenCheck | null; readonly texts: Texts; readonly conclusion: CheckConclusion },
): Promise<void> {
  const { annotations } = texts.annotations();
  const wanted = job.inputs.annotations ? annotations : [];
  const output = { title: texts.checkTitle(), summary: texts.checkSummary(), text: null };
  const refused = (await check?.conclude({ conclusion, output, annotations: wanted })) ?? null;
  if (refused !== null) notes.add(refusalNote('check run', { refused, permission: 'checks: write' }));
  if (wanted.length > 0 && (check === null || refused !== null)) world.log.commands(renderLogCommands(wanted));
}

/** Concludes the check run of a job that ends without a report. */
export async function endCheck(
  { notes }: Telling,
  {
    check,
    conclusion,
    title,
    summary,
  }: {
    readonly check: OpenCheck | null;
    readonly conclusion: CheckConclusion;
    readonly title: string;
    readonly summary: string;
  },
): Promise<void> {
  const refused =
    (await check?.conclude({ conclusion, output: { title, summary, text: null }, annotations: [] })) ?? null;
  if (refused !== null) notes.add(refusalNote('check run', { refused, permission: 'checks: write' }));
}

/** Stores the artifact and gives its id; null when none is wanted or it was refused. */
export async function tellArtifact({ world, job, notes }: Telling, stored: ToStore): Promise<string | null> {
  const name = artifactName(job);
  if (name === null) return null;
  const url = world.environment['ACTIONS_RESULTS_URL'] ?? '';
  const token = world.environment['ACTIONS_RUNTIME_TOKEN'] ?? '';
  const ids = backendIds(token);
  if (url === '' || ids === null) {
    notes.add(
      'artifact: this runner has no artifact service of version 4, as GitHub Enterprise Server has none; the report is in the summary',
    );
    return null;
  }
  const { entries, notes: left } = artifactFiles({ world, job }, stored);
  for (const line of left) notes.add(line);
  const { retentionDays } = job.inputs;
  const result = await uploadArtifact(world.artifacts({ url, token }), {
    ids,
    upload: {
      name,
      zip: writeZip(entries, world.zlib),
      expiresAt: retentionDays === null ? null : world.inDays(retentionDays),
    },
  });
  if (result.kind === 'stored') return result.id;
  notes.add(`artifact: ${result.reason}; another job of this run may have the name ${name}`);
  return null;
}

/** The artifact's name: action.yml composes one from what only it can see, the place in the matrix. Null stores none. */
export function artifactName({ inputs, context }: Job): string | null {
  return inputs.upload === '' ? `grounding-${context.job}-${context.attempt}` : inputs.upload;
}

/** A comment's text needs the marker that it is found by. */
export interface CommentToTell {
  readonly bodyFor: (marker: Marker) => string;
  readonly number: number | null;
  readonly failed: boolean;
}

/** Looks after what was written; a refusal was told when it was written, or is nobody's loss. */
export type Confirm = () => Promise<void>;

const nothingToConfirm: Confirm = async () => undefined;

/** Keeps the pull request's comment; where there is no pull request there is nobody to tell. What it gives is called at the job's end. */
export async function tellComment({ job, notes }: Telling, told: CommentToTell): Promise<Confirm> {
  const { inputs, context, trigger, repository, api } = job;
  const { bodyFor, number, failed } = told;
  if (inputs.comment === 'never' || number === null) return nothingToConfirm;
  const runId = String(context.runId);
  const marker = { checkName: inputs.checkName, headSha: trigger.headSha, runId, attempt: context.attempt };
  const plan = {
    repository,
    author: { graphqlUrl: context.graphqlUrl },
    number,
    marker,
    body: bodyFor(marker),
    create: failed || inputs.comment === 'always',
    order: 'newest-run' as const,
  };
  const result = await keepComment(api, plan);
  if (result.kind === 'refused')
    notes.add(refusalNote('comment', { refused: result, permission: 'pull-requests: write' }));
  if (result.kind === 'older')
    notes.add(`comment: the newer run ${result.runId} has commented already, so that this one does not`);
  return result.kind === 'written' ? async () => void (await confirmComment(api, plan)) : nothingToConfirm;
}

/** Sends SARIF to code scanning. In the merge queue nobody may (field report 7). */
export async function tellSarif(
  { world, job, notes }: Telling,
  { texts, number }: { readonly texts: Texts; readonly number: number | null },
): Promise<void> {
  const { inputs, trigger, context, repository, api } = job;
  if (!inputs.sarif) return;
  if (trigger.kind === 'merge-group') {
    notes.add('SARIF: not sent, since code scanning takes nothing from the merge queue; the artifact holds it');
    return;
  }
  const pull = trigger.kind === 'pull-request' ? trigger.number : number;
  // What a fork has stored says nothing of the default branch, for which this job runs.
  if (trigger.kind === 'workflow-run' && pull === null) {
    notes.add('SARIF: not sent, since no open pull request has the commit that was judged; the artifact holds it');
    return;
  }
  const sent = await api.call({
    route: 'POST /repos/{owner}/{repo}/code-scanning/sarifs',
    parameters: {
      ...repository,
      commit_sha: pull === null ? context.sha : trigger.headSha,
      ref: pull === null ? context.ref : `refs/pull/${pull}/head`,
      sarif: Buffer.from(world.zlib.gzip(Buffer.from(texts.sarif()))).toString('base64'),
      tool_name: 'grounding-gate',
    },
  });
  if (sent.kind === 'refused')
    notes.add(refusalNote('SARIF', { refused: sent as Refused, permission: 'security-events: write' }));
}
