import { posix } from 'node:path';
import {
  type CommitFiles,
  diskRecordingFiles,
  fixtureFile,
  inRepository,
  type RecordingFiles,
  type ReplayOptions,
} from '../core/index.js';
import type { Binding, Standing } from './bind.js';

/**
 * Where the recordings of a fixture are, or null when agents are run. The base's version of a fixture has its recording on the base:
 * the one in the working tree is of the pull request's. Throws GateError `recording-missing` without a folder.
 */
export function bindRecordings({ base }: Binding, { job, place }: Standing): ReplayOptions['recordingsOf'] | null {
  const { replay: path } = job.inputs;
  if (path === null) return null;
  const head = diskRecordingFiles({ path, folder: job.folder });
  const old = base === null ? head : commitRecordings(base, inRepository(place.prefix, path));
  return ({ file }) => {
    const fixture = fixtureFile(file);
    return { files: fixture === file ? head : old, fixture };
  };
}

/** What a reader has to know of recordings that come with what they show. */
export function recordingNotices({ base }: Binding, { job }: Standing): readonly string[] {
  const { replay } = job.inputs;
  if (replay === null || base === null) return [];
  return [
    `the recordings in ${replay} are this change's own: a replay shows that what they hold is grounded, not that its agents say so`,
  ];
}

function commitRecordings(base: CommitFiles, folder: string): RecordingFiles {
  const pathOf = (name: string): string => posix.join(folder, name);
  return {
    pathOf: (name) => `${pathOf(name)} (as on the base)`,
    async read(name) {
      const [entry] = await base.list([pathOf(name)]);
      // What a link leads to is not followed: its own text is no recording.
      if (entry === undefined) return null;
      return base.read(entry.sha);
    },
  };
}
