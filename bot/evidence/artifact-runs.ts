import { callPages, idOf, type JsonNode, makeFinding, messageOf } from '../../core/index.js';
import type { Place } from '../github/api.js';
import type { Unzip } from '../world.js';
import type { Evidence, HeldArchive } from './evidence.js';
import { newestRun, type WorkflowRun } from './workflow-runs.js';

/** Artifacts of one run that are looked into: one a job of a matrix. */
const MOST_ARTIFACTS = 256;
/** The largest archive that is fetched, and what all of them may unpack to; both are held in memory. */
const MOST_ARCHIVE_BYTES = 128 * 1024 * 1024;
const LIMITS = { entries: 60_000, entryBytes: 32 * 1024 * 1024, totalBytes: 512 * 1024 * 1024, ratio: 200 };
/** Bytes below which a file may be packed as well as it likes: a short text of one letter is no bomb. */
const REPORT = 'report.json';
/** Says that what was left out was left out on purpose (docs/action.md). */
const REDACTED = 'REDACTED.txt';
/** The ids and names of contract 7, and no other; a folder `runs` above them or none. */
const RUN_FILE =
  /^(?:runs\/)?(?:invocations\.jsonl|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\/(?:request\.json|envelope\.json|spans\.jsonl|grounding\.txt|sources\.txt))$/;
/** What findings call the folder of runs that no commit holds. */
export const ARTIFACT_FOLDER = 'runs';

/** Which runs to look for. */
export interface ArtifactQuery {
  readonly workflow: string;
  /** A name, or all that begin so when it ends in `*`. */
  readonly artifact: string;
  readonly headSha: string;
  readonly headRepository: number | null;
  readonly repositoryId: number;
}

/** What the newest run of the workflow on a commit has stored. All of it is a claim: it is unpacked and judged, and never run. */
export async function artifactRuns(
  place: Place,
  { query, unzip }: { readonly query: ArtifactQuery; readonly unzip: Unzip },
): Promise<Evidence> {
  const run = await newestRun(place, query);
  if (run === null) return { kind: 'awaited', what: `a run of the workflow ${query.workflow}` };
  if (run.status !== 'completed') return { kind: 'awaited', what: `the end of the workflow's run ${run.id}` };
  const listed = await callPages(
    place.api,
    {
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
      parameters: { ...place.repository, run_id: run.id },
    },
    { member: 'artifacts', most: MOST_ARTIFACTS + 1 },
  );
  if (listed.kind === 'refused')
    throw new Error(`${listed.reason}; reading artifacts needs the permission actions: read`);
  if (listed.items.length > MOST_ARTIFACTS) return refused(`its run has stored more than ${MOST_ARTIFACTS}`);
  const named = newestOfEach(listed.items.filter((artifact) => isNamed(artifact, query.artifact)));
  const expired = named.filter((artifact) => artifact.get('expired')?.boolean() !== false);
  if (named.length === 0 || expired.length > 0) return nothing(run, { query, expired: expired.length > 0 });
  return unpackAll(place, { run, named, query, unzip });
}

function isNamed(artifact: JsonNode, pattern: string): boolean {
  const name = artifact.get('name')?.string() ?? '';
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** A run that is run again stores artifacts of the same names, and GitHub lists those of its earlier attempts as well. */
function newestOfEach(artifacts: readonly JsonNode[]): readonly JsonNode[] {
  const newest = new Map<string, JsonNode>();
  for (const artifact of artifacts) {
    const name = artifact.get('name')?.string() ?? '';
    const known = newest.get(name);
    if (known === undefined || numberOf(artifact) > numberOf(known)) newest.set(name, artifact);
  }
  return [...newest.values()];
}

function numberOf(artifact: JsonNode): bigint {
  const id = idOf(artifact.get('id'));
  return id !== null && /^\d+$/.test(id) ? BigInt(id) : 0n;
}

function nothing(
  run: WorkflowRun,
  { query, expired }: { readonly query: ArtifactQuery; readonly expired: boolean },
): Evidence {
  const what = expired
    ? `an artifact of the workflow's run ${run.id} has expired`
    : `the workflow's run ${run.id}, which ended with ${run.conclusion ?? 'nothing'}, has stored no artifact ${query.artifact}`;
  return { kind: 'missing', what, remedy: 'run the workflow again and see that it stores its runs' };
}

interface Unpacking {
  readonly run: WorkflowRun;
  readonly named: readonly JsonNode[];
  readonly query: ArtifactQuery;
  readonly unzip: Unzip;
}

async function unpackAll(place: Place, { run, named, query, unzip }: Unpacking): Promise<Evidence> {
  const archives: HeldArchive[] = [];
  let left = LIMITS.totalBytes;
  for (const artifact of named) {
    const refusal = refusalOf(artifact, { run, query });
    if (refusal !== null) return refused(refusal);
    const zip = await download(place, artifact);
    if ('kind' in zip) return refused(zip.reason);
    const files = await unpack(zip, { unzip, left });
    if (typeof files === 'string') return refused(files);
    if (files.has(REDACTED)) return redacted();
    for (const bytes of files.values()) left -= bytes.length;
    const archive = heldArchive(files);
    if (archive === null) return refused('it holds a file of a run twice, with and without a folder above');
    archives.push(archive);
  }
  return {
    kind: 'found',
    archives: archives.filter(({ files }) => files.size > 0),
    findings: doubled(archives),
    notices: [
      `judged again from what the workflow's run ${run.id} has stored: that its agents ran as it says is that run's word`,
    ],
    between: { from: run.createdAt, to: run.updatedAt },
    workflowRun: run.id,
  };
}

function refused(why: string): Evidence {
  return {
    kind: 'missing',
    what: `an artifact cannot be taken as evidence: ${why}`,
    remedy: 'look at the run that stored it',
  };
}

function redacted(): Evidence {
  return {
    kind: 'missing',
    what: 'the artifact was stored without payloads and inputs, so that nothing in it can be judged',
    remedy: 'set redact: false in the workflow that stores it',
  };
}

/** An artifact has to be this run's, of this repository and of this commit, by GitHub's own account. */
function refusalOf(artifact: JsonNode, { run, query }: Pick<Unpacking, 'run' | 'query'>): string | null {
  const size = artifact.get('size_in_bytes')?.integer() ?? Number.POSITIVE_INFINITY;
  if (size > MOST_ARCHIVE_BYTES) return `it has ${size} bytes, and ${MOST_ARCHIVE_BYTES} are read`;
  const of = artifact.present('workflow_run');
  const same =
    idOf(of?.get('id')) === run.id &&
    of?.get('repository_id')?.integer() === query.repositoryId &&
    of.get('head_repository_id')?.integer() === query.headRepository &&
    of.get('head_sha')?.string() === query.headSha;
  return same ? null : 'it belongs to another run, repository or commit';
}

function download({ api, repository }: Place, artifact: JsonNode) {
  return api
    .download({
      route: 'GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
      parameters: { ...repository, artifact_id: idOf(artifact.get('id')), archive_format: 'zip' },
    })
    .then((answer) => (answer.kind === 'ok' ? answer.bytes : answer));
}

async function unpack(
  zip: Uint8Array,
  { unzip, left }: { readonly unzip: Unzip; readonly left: number },
): Promise<ReadonlyMap<string, Uint8Array> | string> {
  try {
    const wanted = (name: string): boolean => name === REPORT || name === REDACTED || RUN_FILE.test(name);
    return await unzip(zip, { ...LIMITS, totalBytes: left, wanted });
  } catch (error) {
    return messageOf(error);
  }
}

/** Null when two entries would be the same file. */
function heldArchive(files: ReadonlyMap<string, Uint8Array>): HeldArchive | null {
  const runs = [...files].filter(([name]) => name !== REPORT);
  const held = new Map(
    runs.map(([name, bytes]) => [`${ARTIFACT_FOLDER}/${name.replace(/^runs\//, '')}`, bytes] as const),
  );
  if (held.size < runs.length) return null;
  return {
    files: held,
    folder: ARTIFACT_FOLDER,
    only: null,
    isFresh: () => true,
    claim: files.get(REPORT) ?? null,
  };
}

/** One invocation is one run, wherever it is stored. */
function doubled(archives: readonly HeldArchive[]) {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { files } of archives) {
    const runs = new Set(
      [...files.keys()].flatMap((path) => (path.split('/').length === 3 ? [path.split('/')[1] ?? ''] : [])),
    );
    for (const run of runs) (seen.has(run) ? twice : seen).add(run);
  }
  return [...twice].sort().map((run) =>
    makeFinding({
      rule: 'tampered',
      level: 'error',
      message: 'two artifacts hold a run of this id',
      run,
      place: { file: `${ARTIFACT_FOLDER}/${run}/envelope.json`, line: null, column: null },
    }),
  );
}
