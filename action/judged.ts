import type { GateReport, SourcesLocation } from '../core/index.js';

/** What was judged, before the inputs decide what of it breaks the verdict. */
export interface Judged {
  readonly report: GateReport;
  /** The table of a fixtures run, for the log; empty for stored runs. */
  readonly text: string;
  /** The folder that holds the runs of the report. */
  readonly runs: string;
  /** What the runs were judged by. */
  readonly sources: SourcesLocation;
  /** Runs that this job has made, to be stored; none where they were stored before. */
  readonly made: readonly string[];
  /** Nothing that the pull request changes could be judged, because it changes no stored run. */
  readonly nothingChanged: boolean;
}

/** How the work can be ended early. */
export interface Interruptible {
  readonly onOpen: (interrupt: () => Promise<void>) => void;
}
