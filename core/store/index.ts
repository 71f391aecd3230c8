export { type ArchivedRun, type ArchiveFiles, isSegment, openArchive, type RunArchive } from './archive.js';
export { type HeldFiles, heldFiles, heldIndexLine, heldRunFiles } from './held-files.js';
export {
  CRATE_FILE,
  CRATE_FOLDER,
  INDEX_FILE,
  isInvocationId,
  isPassedOver,
  RUN_FILES,
  type RunFile,
  SCHEMAS_FOLDER,
} from './names.js';
export type { RepairReport } from './repair.js';
export { repairNotices } from './repair-notices.js';
export { type RunContents, runContents } from './run-contents.js';
export { type IndexLine, indexLines } from './run-index.js';
export { openRunReader, type RunFileReader, type RunReader } from './run-reader.js';
export { type OpenedStore, openStore } from './run-store.js';
export type { FolderEntry, OwnerState, PathKind, ReadResult, StoreFiles, StoreWorld } from './world.js';
