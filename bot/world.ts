/** What an archive may unpack to; one of another's making may lie about all of it. */
export interface UnzipLimits {
  readonly entries: number;
  /** Bytes of one file, and of all files together. */
  readonly entryBytes: number;
  readonly totalBytes: number;
  /** Bytes of a file for each byte that it is packed in. */
  readonly ratio: number;
  /** Files that are wanted; others are not unpacked. */
  readonly wanted: (name: string) => boolean;
}

/**
 * Unpacks the wanted files of a zip archive in memory. Rejects with a plain Error for anything odd: a name that leads out, a name twice,
 * a link, encryption, a size or a checksum that lies, more than the limits allow.
 */
export type Unzip = (archive: Uint8Array, limits: UnzipLimits) => Promise<ReadonlyMap<string, Uint8Array>>;

/** What one verdict is worked with. */
export interface ExamineWorld extends JudgeWorld {
  /** Notes that `by` shows runs of these ids, and gives the ids that another has shown before. */
  readonly claim: (ids: readonly string[], by: string) => Promise<ReadonlySet<string>>;
}

/** What the judge needs of the process, besides what each job is given. */
export interface JudgeWorld {
  readonly unzip: Unzip;
  /** Text that nobody outside this process can guess. */
  readonly secret: () => string;
  /** Lets other work of the process have its turn. */
  readonly breathe: () => Promise<void>;
}
