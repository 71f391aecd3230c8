import type { IncomingMessage, ServerResponse } from 'node:http';
import type { World } from '../state/world.js';
import { breakOff, breaks, type Faults, wait } from './faults.js';
import { bodyOf } from './wire.js';

/** What the store of files needs. */
export interface Store {
  readonly world: World;
  readonly faults: Faults;
  readonly complain: (reason: string) => void;
}

/** Answers at the store of files: takes uploads in blocks, serves downloads, refuses tokens. */
export async function serveBlob(
  { world, faults, complain }: Store,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const body = await bodyOf(request).catch(() => undefined);
  if (body === undefined) return;
  const url = new URL(request.url ?? '/', world.blobs.address);
  const method = request.method ?? 'GET';
  const fault = faults.strike({ method, path: url.pathname, operation: undefined });
  await wait(fault);
  if (breaks(fault)) {
    breakOff(fault, response);
    return;
  }
  const [, kind, key = ''] = url.pathname.split('/');
  if (request.headers.authorization !== undefined) {
    // Azure refuses an address that is its own key together with a token, and the token should not have gone there.
    complain(`${method} ${url.pathname}: a token was sent to the store of files`);
    response.writeHead(400).end();
    return;
  }
  if (method === 'PUT' && kind === 'upload') {
    response.writeHead(takeBlock(world, { key, query: url.searchParams, body }), { etag: '"0x1"' }).end();
    return;
  }
  const bytes = kind === 'download' && url.searchParams.get('sig') === key ? world.blobs.get(key) : undefined;
  if (bytes === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'application/zip' }).end(bytes);
}

/** Takes the blocks of an upload, as Azure's block blobs do; returns the status. */
function takeBlock(
  world: World,
  { key, query, body }: { readonly key: string; readonly query: URLSearchParams; readonly body: Buffer },
): number {
  const upload = world.blobs.uploads.get(key);
  if (upload === undefined || query.get('sig') !== key) return 403;
  if (query.get('comp') === 'block') {
    upload.blocks.set(query.get('blockid') ?? '', body);
    return 201;
  }
  if (query.get('comp') === null) {
    upload.bytes = body;
    return 201;
  }
  if (query.get('comp') !== 'blocklist') return 400;
  const ids = [...body.toString('utf8').matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]+)</g)].map(
    (found) => found[1] ?? '',
  );
  const blocks = ids.map((id) => upload.blocks.get(id));
  if (blocks.some((block) => block === undefined)) return 400;
  upload.bytes = Buffer.concat(blocks.filter((block) => block !== undefined));
  return 201;
}
