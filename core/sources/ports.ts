/**
 * An open source copy. Everything is read from the one descriptor that was opened, so that what is hashed, what is
 * indexed and what is looked up later are the same file, whatever happens to its name.
 */
export interface OpenCopy {
  /** Fills `target` from a byte offset of the file and returns how many bytes came; 0 only at the end. */
  read(target: Uint8Array, offset: number): number;
  close(): void;
}

/** Where sources.yaml and its copies are read; the ones on disk are core/io/source-files.ts. */
export interface LoadedFiles {
  /** The bytes of sources.yaml, or null when it does not exist; throws `config-*` for anything but a regular file in its repository. */
  readConfiguration(sourcesPath: string): Uint8Array | null;
  /**
   * The real path of a copy that sources.yaml names relative to itself: two names of one file give one answer.
   * Throws `config-missing`, `config-not-a-file` or `config-outside` (contract 6).
   */
  locate(copy: { readonly sourcesPath: string; readonly path: string }): string;
  /** Opens what `locate` returned; throws `config-*`. */
  open(realPath: string): OpenCopy;
  /** Text that nobody outside this process can guess. */
  secret(): string;
}

/** Where they are written as well. */
export interface SourceFiles extends LoadedFiles {
  /** How sources.yaml is to name a file: relative to its folder, with '/'; throws as `locate` does. */
  relativePath(copy: { readonly sourcesPath: string; readonly file: string }): string;
  /** Puts new bytes in place of sources.yaml, whole or not at all; throws `config-unwritable`. */
  replaceConfiguration(sourcesPath: string, bytes: Uint8Array): void;
}
