import { sha256Hex } from '../json/index.js';
import { isInvocationId } from '../store/index.js';

/** The folders of a report, and the file by which a folder is known to be one. */
export const OVERVIEW_FILE = 'index.html';
export const RUNS_FOLDER = 'runs';
export const FILES_FOLDER = 'files';
export const MARKER_FILE = 'grounding-report.json';

const NAME_DIGITS = 32;

/**
 * A name for a run's page and files that is safe in every file system and address: an invocation id as it is, digits of
 * a hash for any other folder name, which somebody may have chosen to lead elsewhere.
 */
export function safeName(run: string): string {
  return isInvocationId(run) ? run : `x-${sha256Hex(run.toWellFormed()).slice(0, NAME_DIGITS)}`;
}

/** The page of a run, from the folder of the overview. */
export function pagePath(run: string): string {
  return `${RUNS_FOLDER}/${safeName(run)}.html`;
}

/** The folder with the files of a run, from the folder of the overview. */
export function filesPath(run: string): string {
  return `${FILES_FOLDER}/${safeName(run)}`;
}
