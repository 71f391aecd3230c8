import type { JsonNode } from '../json/index.js';

/** What one request came to; a `lost` one may have been carried out all the same. */
export type Transported =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: ReadonlyMap<string, string>;
      readonly body: unknown;
    }
  | { readonly kind: 'lost'; readonly reason: string };

/** One HTTP exchange with GitHub; a door brings one. Never rejects. */
export interface Transport {
  /** A JSON body comes as it was parsed, anything else as an ArrayBuffer. */
  send(request: ApiRequest): Promise<Transported>;
}

/** `route` as GitHub documents it, `POST /repos/{owner}/{repo}/check-runs`; `parameters` fill it and make the body. */
export interface ApiRequest {
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a call of GitHub's API came to, after all retries; one that was `repeated` may have been carried out before, too. */
export type ApiResult = { readonly kind: 'ok'; readonly data: JsonNode; readonly repeated?: boolean } | Refused;

/** An answer that was none; `status` is null when there was no answer at all. */
export interface Refused {
  readonly kind: 'refused';
  readonly status: number | null;
  readonly reason: string;
}

/** GitHub's API as the sinks see it; see client.ts. */
export interface GitHubApi {
  call(request: ApiRequest): Promise<ApiResult>;
  /** For what is no JSON. */
  download(request: ApiRequest): Promise<{ readonly kind: 'ok'; readonly bytes: Uint8Array } | Refused>;
}

/** A file of a commit. */
export interface TreeEntry {
  /** Relative to the repository's root, with `/`. */
  readonly path: string;
  /** As git writes it: `100644`, `100755`, `120000` for a link, `160000` for a submodule. */
  readonly mode: string;
  readonly sha: string;
}

/** The files of one commit, by git or by the API; rejects when they cannot be read. */
export interface CommitFiles {
  readonly commit: string;
  /** Every file at or below the paths; nothing for a path that the commit does not have. */
  list(paths: readonly string[]): Promise<readonly TreeEntry[]>;
  /** The first folder on the way to a path that is a link or a submodule, behind which `list` sees nothing; null when there is none. */
  linkAbove(path: string): Promise<string | null>;
  read(sha: string): Promise<Uint8Array>;
}

/** Waiting, so that tests need not. */
export type Pause = (milliseconds: number) => Promise<void>;
