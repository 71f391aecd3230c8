import { gunzipSync } from 'node:zlib';
import { type Call, found, ok, type Route, reads, textOf, writes } from '../http/call.js';
import { ApiError } from '../http/errors.js';
import { address } from '../render/repositories.js';

// GitHub's published limits for an upload.
const LARGEST_UPLOAD = 10 * 1024 * 1024;
const MOST_RUNS = 20;
const MOST_RESULTS = 25_000;
const MOST_RULES = 25_000;

type Sarif = {
  readonly version?: unknown;
  readonly runs?: readonly {
    readonly results?: readonly unknown[];
    readonly tool?: { readonly driver?: { readonly rules?: readonly unknown[] } };
  }[];
};

function unpack(encoded: string): Sarif {
  const packed = Buffer.from(encoded, 'base64');
  if (packed.length > LARGEST_UPLOAD) throw new ApiError(413, 'The SARIF file is too large');
  try {
    return JSON.parse(gunzipSync(packed).toString('utf8')) as Sarif;
  } catch {
    throw new ApiError(400, 'The SARIF field is not a gzipped, base64-encoded JSON text');
  }
}

function faultOf(sarif: Sarif): string | undefined {
  const runs = sarif.runs ?? [];
  if (sarif.version !== '2.1.0' || !Array.isArray(sarif.runs)) return 'not SARIF 2.1.0';
  if (runs.length > MOST_RUNS) return `more than ${MOST_RUNS} runs`;
  if (runs.some((run) => (run.results?.length ?? 0) > MOST_RESULTS)) return `more than ${MOST_RESULTS} results`;
  if (runs.some((run) => (run.tool?.driver?.rules?.length ?? 0) > MOST_RULES)) return `more than ${MOST_RULES} rules`;
  return undefined;
}

function upload(call: Call) {
  const commitSha = textOf(call, 'commit_sha') ?? '';
  if (call.repository.store.commit(commitSha) === undefined) throw new ApiError(400, `commit not found: ${commitSha}`);
  const sarif = unpack(textOf(call, 'sarif') ?? '');
  const id = `sarif-${call.world.id()}`;
  call.repository.sarifs.push({ id, commitSha, ref: textOf(call, 'ref') ?? '', sarif });
  return { status: 202, body: { id, url: `${address(call.repository)}/code-scanning/sarifs/${id}` } };
}

function get(call: Call) {
  const stored = found(call.repository.sarifs.find((one) => one.id === call.params['sarif_id']));
  const fault = faultOf(stored.sarif as Sarif);
  const analyses_url = `${address(call.repository)}/code-scanning/analyses?sarif_id=${stored.id}`;
  if (fault !== undefined) return ok({ processing_status: 'failed', analyses_url, errors: [fault] });
  return ok({ processing_status: 'complete', analyses_url });
}

/** Code scanning. */
export const codeScanning: Readonly<Record<string, Route>> = {
  'code-scanning/upload-sarif': writes(['security_events'], upload),
  'code-scanning/get-sarif': reads(['security_events'], get),
};
