/** Whose comment it is and which run wrote it, hidden in the first line of what a door posts. */
export interface Marker {
  readonly checkName: string;
  /** 40 or 64 hex digits. */
  readonly headSha: string;
  readonly runId: string;
  readonly attempt: number;
}

const LINE =
  /^<!-- grounding-gate:v1 check=(?<check>[^\s<>]*) sha=(?<sha>[0-9a-f]*) run=(?<run>[0-9]+) attempt=(?<attempt>[0-9]{1,9}) -->$/;

/** The marker as an HTML comment on one line; a check's name is percent-encoded, so that it cannot end the comment. */
export function markerLine({ checkName, headSha, runId, attempt }: Marker): string {
  const check = encodeURIComponent(checkName.toWellFormed());
  const line = `<!-- grounding-gate:v1 check=${check} sha=${headSha} run=${runId} attempt=${attempt} -->`;
  if (!LINE.test(line)) throw new Error('a marker is made of a commit, a run and an attempt, in digits');
  return line;
}

/**
 * The marker in the first line of a comment's body; null when there is none of this version. Anyone can write one: the
 * reader has to check the author as well.
 */
export function readMarker(body: string): Marker | null {
  const groups = LINE.exec(body.split(/\r?\n/, 1)[0] ?? '')?.groups;
  if (groups === undefined) return null;
  const { check = '', sha = '', run = '', attempt = '' } = groups;
  const checkName = decoded(check);
  return checkName === null ? null : { checkName, headSha: sha, runId: run, attempt: Number(attempt) };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** First line of the one issue about stored runs that fail, whichever door opened it; .github/workflows/reverify.yml writes the same. */
export const DRIFT_MARKER = '<!-- grounding-gate:v1 drift check=stored-runs -->';

/** The label of that issue. */
export const DRIFT_LABEL = 'grounding-drift';
