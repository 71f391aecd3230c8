/** A folder that a report is written to; it appears whole or not at all. The real one is core/io/report-folder.ts. */
export interface ReportFolder {
  /** Writes a file; `path` is relative, with `/`, and its folders are made. */
  write(path: string, content: string | Uint8Array): void;
  /** Keeps text for later: what is appended under a name is given back, in pieces, by `appended`. */
  append(name: string, text: string): void;
  /** Writes a file of texts, and of what was appended under a name. */
  compose(path: string, parts: readonly (string | { readonly appended: string })[]): void;
  /** Puts the folder in place of an earlier report. */
  commit(): void;
  /** Leaves what was there before; does nothing after `commit`. */
  discard(): void;
}
