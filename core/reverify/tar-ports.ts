/** One entry of a tar stream, in its order. Whoever takes the next one leaves the rest of this one unread. */
export interface TarEntry {
  /** As the stream names it. */
  readonly path: string;
  /** `other` is a link, a device or a pipe. */
  readonly kind: 'file' | 'folder' | 'other';
  /** In bytes, as its header says. */
  readonly size: number;
  pieces(): AsyncIterable<Uint8Array>;
}

/** Reads the entries of a tar stream from its start; rejects with GateError `tar-refused` where it is broken. */
export type TarEntries = () => AsyncIterable<TarEntry>;
