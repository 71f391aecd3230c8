import type { LinePosition } from './index-table.js';
import type { SealedFile } from './merkle.js';
import type { ExaminedRun } from './settle.js';

/** One run to examine. */
export interface Task {
  readonly name: string;
  /** Where the run's only line in the index stands; undefined when it has none, or several. */
  readonly indexLine?: LinePosition | undefined;
  /** What the cache holds about the run: the text of one of its lines. */
  readonly remembered?: string | undefined;
}

/** A run that was examined, as plain data that may cross threads. */
export interface Examined {
  readonly run: ExaminedRun;
  /** The line that the cache is to hold about the run; null when no cache is kept, or the run is unreadable. */
  readonly memory: string | null;
  /** The verdict was taken from the cache. */
  readonly fromCache: boolean;
  /** Every file of the run's folder, hashed; null when no seal is held against the archive. */
  readonly files: readonly SealedFile[] | null;
}

/** Examines runs, in this thread or in others; the real ones are in core/io and core/runner. */
export interface Examiner {
  /** How many batches it can work on at the same time, at least 1. */
  readonly lanes: number;
  /** The runs of a batch, in any order. Rejects when nothing can be judged any more, as when a source copy changed. */
  examine(tasks: readonly Task[]): Promise<readonly Examined[]>;
  close(): Promise<void>;
}
