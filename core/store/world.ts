/** What a path is, links not followed: `other` is a link, a device, a pipe or a socket. */
export type PathKind = 'file' | 'folder' | 'other';

/** One entry of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: PathKind;
}

/** What reading one file gives; a refusal is an answer, since a reader must report it beside others. */
export type ReadResult =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: 'not-a-file' | 'too-large' };

/**
 * The files of a runs folder as the store needs them; the real ones are in core/io/store-files.ts. Links are never
 * followed. Failures reject with the system's own error, whose `code` is a string such as `ENOSPC`.
 */
export interface StoreFiles {
  /** Makes the folder and its parents where they are missing and gives its real path. */
  prepare(folder: string): Promise<string>;
  /** Undefined when nothing stands there. */
  kind(path: string): Promise<PathKind | undefined>;
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Fails when something stands there. */
  makeFolder(path: string): Promise<void>;
  /** Makes an empty file that must not exist, and does not wait for the disk. */
  mark(path: string): Promise<void>;
  /** Writes a file that must not exist and syncs it. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** Atomic; a folder takes the place of an empty folder and of nothing else. */
  rename(from: string, to: string): Promise<void>;
  /** The whole file, at most `maximum` bytes of it. */
  read(path: string, maximum: number): Promise<ReadResult>;
  /** The file in pieces, in order; each piece is the receiver's own. */
  pieces(path: string): AsyncIterable<Uint8Array>;
  /** Bytes in a file, and its last byte; zero bytes when it does not exist. */
  ending(path: string): Promise<{ readonly size: number; readonly lastByte: number | undefined }>;
  /** The bytes of a file from an offset to its end. */
  readFrom(path: string, offset: number): Promise<Uint8Array>;
  /** Appends in one piece and syncs; when that fails, the file is cut back to its former size. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Cuts a file to its first `size` bytes and syncs. */
  truncate(path: string, size: number): Promise<void>;
  /** These three do nothing when the path is gone; `removeFolder` does nothing to a folder that holds something. */
  removeFile(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  removeTree(path: string): Promise<void>;
}

/** New folders, made in this order, and new files in them. */
export interface NewTree {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** `unknown` is an owner on another machine or in another container, of whom this process cannot tell. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** Everything outside that the store needs. */
export interface StoreWorld {
  readonly files: StoreFiles;
  /** Names this process and this store in it, never to be used again; made and understood by core/io/owner.ts. */
  readonly owner: string;
  /** Null when the text is no owner's name at all. */
  ownerState(owner: string): Promise<OwnerState | null>;
  /** Does what `writeTree` of staging.ts does, in another thread; left out where this one writes. Rejects with the system's error. */
  readonly writeTree?: (tree: NewTree) => Promise<void>;
  /** Waits a few milliseconds, a little longer or shorter each time. */
  pause(): Promise<void>;
}
