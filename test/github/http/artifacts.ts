import { createHash, randomUUID } from 'node:crypto';
import type { Upload } from '../state/blobs.js';
import type { Job, WorkflowRun } from '../state/records.js';
import type { Repository } from '../state/repository.js';
import { stamp, type World } from '../state/world.js';

/** The job for which a runtime token was made. */
interface Runtime {
  readonly repository: Repository;
  readonly run: WorkflowRun;
  readonly job: string;
}

type Pending = { readonly upload: Upload; readonly expiresAt: string | undefined };

/** An answer of the service; refusals have Twirp's shape. */
export interface TwirpAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  CreateArtifact: [
    'workflow_run_backend_id',
    'workflow_job_run_backend_id',
    'name',
    'expires_at',
    'version',
    'mime_type',
  ],
  FinalizeArtifact: ['workflow_run_backend_id', 'workflow_job_run_backend_id', 'name', 'size', 'hash'],
};
// The library says these about names; the service keeps them too.
const BARRED = /["<>|*?:\r\n\\/]/;

const refuse = (status: number, code: string, msg: string): TwirpAnswer => ({ status, body: { code, msg } });

/** The service by which a running job stores artifacts, version 4: two calls around an upload of blocks. */
export class ArtifactService {
  readonly #world: World;
  readonly #runtimes = new Map<string, Runtime>();
  readonly #pending = new Map<string, Pending>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The token that the runner gives to a job's steps: a JWT whose scope names the run and the job. */
  runtimeToken({ repository, run }: { repository: Repository; run: WorkflowRun; job?: Job }): string {
    const job = randomUUID();
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const scp = `Actions.Results:${run.backend}:${job}`;
    const token = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ scp, aud: 'Actions' })}.${part(job)}`;
    this.#runtimes.set(token, { repository, run, job });
    return token;
  }

  /** Answers one call; the path is `/twirp/<service>/<method>`. */
  serve(request: { method: string; token: string; body: unknown; complain: (reason: string) => void }): TwirpAnswer {
    const { method, complain } = request;
    const fields = FIELDS[method];
    if (fields === undefined) {
      complain(`artifact service: ${method} is outside the subset`);
      return refuse(404, 'bad_route', 'no such method');
    }
    const runtime = this.#runtimes.get(request.token);
    if (runtime === undefined) return refuse(401, 'unauthenticated', 'the runtime token is not known');
    const body = request.body as Record<string, unknown>;
    for (const name of Object.keys(body))
      if (!fields.includes(name)) complain(`artifact service: ${method} has no ${name}`);
    const isOwn =
      body['workflow_run_backend_id'] === runtime.run.backend && body['workflow_job_run_backend_id'] === runtime.job;
    if (!isOwn) return refuse(403, 'permission_denied', 'the token is for another run or job');
    return method === 'CreateArtifact' ? this.#create(runtime, body) : this.#finalize(runtime, body);
  }

  #create(runtime: Runtime, body: Record<string, unknown>): TwirpAnswer {
    const { run, repository } = runtime;
    const name = body['name'];
    if (typeof name !== 'string' || name === '' || BARRED.test(name))
      return refuse(400, 'invalid_argument', 'bad artifact name');
    if (typeof body['version'] !== 'number' || body['version'] < 4)
      return refuse(400, 'invalid_argument', 'bad version');
    const key = `${run.id}/${run.attempt}/${name}`;
    if (this.#pending.has(key) || repository.actions.named(run, name) !== undefined)
      return refuse(409, 'already_exists', 'an artifact with this name already exists on the workflow run');
    const { url, upload } = this.#world.blobs.begin();
    const expires = body['expires_at'];
    this.#pending.set(key, { upload, expiresAt: typeof expires === 'string' ? stamp(Date.parse(expires)) : undefined });
    return { status: 200, body: { ok: true, signed_upload_url: url } };
  }

  #finalize({ run, repository }: Runtime, body: Record<string, unknown>): TwirpAnswer {
    const name = String(body['name']);
    const key = `${run.id}/${run.attempt}/${name}`;
    const pending = this.#pending.get(key);
    if (pending === undefined) return refuse(404, 'not_found', 'no such artifact');
    const { bytes } = pending.upload;
    if (bytes === undefined) return refuse(412, 'failed_precondition', 'nothing was uploaded');
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (String(body['size'] ?? '0') !== String(bytes.length))
      return refuse(400, 'invalid_argument', 'the size is another');
    if (body['hash'] !== undefined && body['hash'] !== digest)
      return refuse(400, 'invalid_argument', 'the hash is another');
    this.#pending.delete(key);
    const expiry = pending.expiresAt === undefined ? {} : { expiresAt: pending.expiresAt };
    const artifact = repository.actions.store({ run, name, bytes, ...expiry });
    return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
  }
}
