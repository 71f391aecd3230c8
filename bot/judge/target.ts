import type { CommitFiles, TreeChange } from '../../core/index.js';
import type { GroundingConfig } from '../config/grounding-config.js';
import type { OpenRepository } from '../github/repository.js';

/** A commit that is to be judged, and the commits that it is judged by. */
export interface Target {
  readonly repository: OpenRepository;
  readonly config: GroundingConfig;
  readonly headSha: string;
  /** Where its workflow ran; null when that is gone. */
  readonly headRepository: number | null;
  readonly head: CommitFiles;
  /** The newest commit of the base: what binds. */
  readonly base: CommitFiles;
  /** Where the change left the base. */
  readonly fork: CommitFiles;
  /** What the change did since. */
  readonly changes: readonly TreeChange[];
}
