/**
 * The files of the projects folder; the real ones are core/io/project-files.ts. Paths are relative to it. A file appears whole or not at
 * all, whenever the process is killed; links are not followed.
 */
export interface ProjectFiles {
  /** Does the work alone among all processes that do some on this folder, which is made where it is missing. */
  alone<Value>(folder: string, work: () => Promise<Value>): Promise<Value>;
  /** How a message names a file, so that its reader finds it. */
  shown(path: string): string;
  /** Null when there is none; rejects with GateError `project-malformed` for a link, a folder, or anything else that is no file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Names of the files in a folder, sorted; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Writes a file that must not exist; false when it does. */
  create(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Writes a file in the place of what stands there. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Does nothing when it is gone. */
  remove(path: string): Promise<void>;
}
