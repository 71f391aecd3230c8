import { join } from 'node:path';
import { callPages, gateError, idOf, type JsonNode, messageOf } from '../core/index.js';
import { downloadArtifact, REPORT_FILE } from './baseline.js';
import type { Standing } from './bind.js';
import type { WorkflowRunTrigger } from './events.js';
import { REDACTED_FILE } from './redact.js';
import { readZip } from './zip.js';

/** Artifacts of one run that are looked into: one a job of a matrix. */
const MOST_ARTIFACTS = 256;
const MOST_ARCHIVE_BYTES = 512 * 1024 * 1024;
/** Limits on what an artifact unpacks to; a fork's workflow may have stored anything. */
const LIMITS = { entries: 60_000, entryBytes: 64 * 1024 * 1024, totalBytes: 1024 * 1024 * 1024 };
/** `runs/<id>/<file>` and the index: the ids and names of contract 7, and no other. */
const WANTED =
  /^runs\/(?:invocations\.jsonl|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\/(?:request\.json|envelope\.json|spans\.jsonl|grounding\.txt|sources\.txt))$/;

/**
 * Unpacks the stored runs of another workflow's run, each artifact's into a folder of its own below the job's temporary folder. What is in
 * them is a claim: it is judged by the caller, and none of it is run. Throws GateError `artifact-refused`.
 */
export async function fetchRuns({ world, job }: Standing, { runId }: WorkflowRunTrigger): Promise<readonly string[]> {
  const { api, repository, context } = job;
  const listed = await callPages(
    api,
    {
      route: 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
      parameters: { ...repository, run_id: runId },
    },
    { member: 'artifacts', most: MOST_ARTIFACTS },
  );
  if (listed.kind === 'refused')
    throw refused(`the artifacts of the run ${runId} cannot be listed: ${listed.reason}`, 'grant actions: read');
  const folders: string[] = [];
  for (const artifact of listed.items.filter(isWhole)) {
    const zip = await downloadArtifact(api, { repository, id: idOf(artifact.get('id')) });
    if (zip.kind === 'refused') throw refused(`an artifact cannot be fetched: ${zip.reason}`, 'grant actions: read');
    const files = unpack(zip.bytes, world);
    if (!files.has(REPORT_FILE)) continue;
    if (files.has(REDACTED_FILE))
      throw refused(
        'the artifact was stored without payloads and inputs',
        'set redact: false in the workflow that stores it',
      );
    const folder = world.files.makeTemporary(context.temp);
    const runs = [...files].filter(([name]) => name.startsWith('runs/'));
    for (const [name, bytes] of runs) world.files.write(join(folder, name), bytes);
    if (runs.length > 0) folders.push(join(folder, 'runs'));
  }
  return folders;
}

function isWhole(artifact: JsonNode): boolean {
  const size = artifact.get('size_in_bytes')?.integer() ?? Number.POSITIVE_INFINITY;
  if (size > MOST_ARCHIVE_BYTES)
    throw refused('an artifact is larger than what is read', 'store fewer runs in one job');
  return artifact.get('expired')?.boolean() === false;
}

function unpack(zip: Uint8Array, { zlib }: Standing['world']): ReadonlyMap<string, Uint8Array> {
  try {
    const wanted = (name: string): boolean => name === REPORT_FILE || name === REDACTED_FILE || WANTED.test(name);
    return readZip(zip, { limits: { ...LIMITS, wanted }, zlib });
  } catch (error) {
    const why = messageOf(error);
    throw refused(`an artifact is no archive that is read here: ${why}`, 'look at the run that stored it');
  }
}

function refused(message: string, remedy: string): Error {
  return gateError('artifact-refused', { blame: 'unreadable', message, remedy });
}
