import { createHash } from 'node:crypto';

/** How the artifact service is reached; the real one is action/io/artifact-http.ts. Never rejects. */
export interface ArtifactTransport {
  /** Calls a method of the service with the job's own token. */
  call(method: 'CreateArtifact' | 'FinalizeArtifact', body: Readonly<Record<string, unknown>>): Promise<ServiceAnswer>;
  /** Sends bytes to the address that the service named; no token goes there. */
  put(url: string, bytes: Uint8Array): Promise<ServiceAnswer>;
}

export type ServiceAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: ReadonlyMap<string, unknown> }
  | { readonly kind: 'lost'; readonly reason: string };

/** The run and the job that the runtime token is for, as its scope names them. */
export interface BackendIds {
  readonly run: string;
  readonly job: string;
}

/** What to store. */
export interface Upload {
  readonly name: string;
  readonly zip: Uint8Array;
  /** RFC 3339; null leaves it to the repository's setting. */
  readonly expiresAt: string | null;
}

export type UploadResult =
  | { readonly kind: 'stored'; readonly id: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Bytes of one block: a store takes up to 50,000 of them. */
const BLOCK_BYTES = 8 * 1024 * 1024;
/** The version of the service's protocol: one zip archive, put together from blocks. */
const VERSION = 7;

/** Stores an artifact: two calls of the service around an upload in blocks (docs/decisions/artifact-upload.md). */
export async function uploadArtifact(
  transport: ArtifactTransport,
  { ids, upload }: { readonly ids: BackendIds; readonly upload: Upload },
): Promise<UploadResult> {
  const { name, zip, expiresAt } = upload;
  const whose = { workflow_run_backend_id: ids.run, workflow_job_run_backend_id: ids.job, name };
  const created = await transport.call('CreateArtifact', {
    ...whose,
    version: VERSION,
    mime_type: 'application/zip',
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
  });
  const url = textIn(created, 'signed_upload_url');
  if (url === null) return refused('the artifact was not begun', created);
  const failed = await putBlocks(transport, { url, zip });
  if (failed !== null) return refused('the upload failed', failed);
  const hash = `sha256:${createHash('sha256').update(zip).digest('hex')}`;
  const finished = await transport.call('FinalizeArtifact', { ...whose, size: String(zip.length), hash });
  const id = textIn(finished, 'artifact_id');
  return id === null ? refused('the artifact was not finished', finished) : { kind: 'stored', id };
}

async function putBlocks(
  transport: ArtifactTransport,
  { url, zip }: { readonly url: string; readonly zip: Uint8Array },
): Promise<ServiceAnswer | null> {
  const blocks: string[] = [];
  for (let at = 0; at < zip.length || at === 0; at += BLOCK_BYTES) {
    // All ids of one upload are of one length, as the store wants them.
    const block = Buffer.from(`block-${String(blocks.length).padStart(6, '0')}`).toString('base64');
    const sent = await transport.put(
      withQuery(url, { comp: 'block', blockid: block }),
      zip.subarray(at, at + BLOCK_BYTES),
    );
    if (!isGood(sent)) return sent;
    blocks.push(block);
  }
  const list = blocks.map((block) => `<Latest>${block}</Latest>`).join('');
  const text = `<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`;
  const sent = await transport.put(withQuery(url, { comp: 'blocklist' }), Buffer.from(text));
  return isGood(sent) ? null : sent;
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const whole = new URL(url);
  for (const [name, value] of Object.entries(query)) whole.searchParams.set(name, value);
  return whole.href;
}

function isGood(answer: ServiceAnswer): boolean {
  return answer.kind === 'answer' && answer.status >= 200 && answer.status < 300;
}

function textIn(answer: ServiceAnswer, member: string): string | null {
  if (answer.kind === 'lost' || !isGood(answer) || answer.body.get('ok') !== true) return null;
  const value = answer.body.get(member);
  return typeof value === 'string' && value !== '' ? value : null;
}

function refused(what: string, answer: ServiceAnswer): UploadResult {
  if (answer.kind === 'lost') return { kind: 'refused', reason: `${what}: ${answer.reason}` };
  const said = answer.body.get('msg');
  return {
    kind: 'refused',
    reason: `${what}: the service answered ${answer.status}${typeof said === 'string' ? ` (${said})` : ''}`,
  };
}

/** The ids in the scope of the runtime token, `Actions.Results:<run>:<job>`; null when the runner gave another kind of token. */
export function backendIds(runtimeToken: string): BackendIds | null {
  const [, payload] = runtimeToken.split('.');
  if (payload === undefined) return null;
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
  const scope = typeof claims === 'object' && claims !== null && 'scp' in claims ? claims.scp : null;
  if (typeof scope !== 'string') return null;
  const [, run, job] = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)/.exec(scope) ?? [];
  return run === undefined || job === undefined ? null : { run, job };
}
