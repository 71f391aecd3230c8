/** Files that are fetched one by one for one verdict: an installation has 5,000 requests an hour for everything. */
const MOST_FILES = 5_000;
/** Bytes of one file, and of all that are fetched for one verdict; they are held in memory. */
const MOST_FILE_BYTES = 64 * 1024 * 1024;
const MOST_BYTES = 512 * 1024 * 1024;

/** Counts what is fetched of commits, which hold what a stranger put there; throws a plain Error before more than that is asked for. */
export function readBudget(): (bytes: number) => void {
  let [files, held] = [0, 0];
  return (bytes) => {
    files += 1;
    held += bytes;
    if (bytes > MOST_FILE_BYTES)
      throw new Error(`a file that is judged by has ${bytes} bytes, and ${MOST_FILE_BYTES} are read of one`);
    if (files > MOST_FILES) throw new Error(`more than ${MOST_FILES} files would have to be read for one verdict`);
    if (held > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes would have to be read for one verdict`);
  };
}
