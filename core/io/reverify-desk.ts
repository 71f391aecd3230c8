import { join } from 'node:path';
import type { Desk } from '../reverify/examine-task.js';
import { rememberRecords } from '../reverify/remembered-records.js';
import { loadSources, type SourcesLocation } from '../sources/index.js';
import { openRunReader } from '../store/index.js';
import { indexReader, runFilesInBlock } from './archive-files.js';
import { filesBelow } from './sealed-files.js';
import { sourceFilesFor } from './source-files.js';

/** What a lane of `reverify` is opened from, as plain data that may cross threads. */
export interface DeskSettings {
  readonly folder: string;
  readonly sources: SourcesLocation;
  readonly engine: string | null;
  readonly sealed: boolean;
  /** How much a thread may hold before the run that it judges is given up, in megabytes; what Node allows without it. */
  readonly heapMegabytes?: number;
}

/** Opens a lane's own view of archive and copies; throws what contract 6 refuses. `close` gives the copies back. */
export function openDesk(settings: DeskSettings): Desk & { close(): void; readonly notices: readonly string[] } {
  const copies = loadSources(sourceFilesFor(settings.sources), settings.sources);
  const index = indexReader(settings.folder);
  return {
    runs: openRunReader(runFilesInBlock(), { folder: settings.folder }),
    copies: rememberRecords(copies),
    readLine: index.read,
    engine: settings.engine,
    filesOf: settings.sealed ? (name) => filesBelow(join(settings.folder, name)) : null,
    notices: copies.notices,
    close() {
      copies.close();
      index.close();
    },
  };
}
