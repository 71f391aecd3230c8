/** Where recordings are read from; the real one is core/io/recording-files.ts. */
export interface RecordingFiles {
  /** The path of a recording as messages name it. */
  pathOf(name: string): string;
  /** The bytes of the recording with this file name; null when there is none. Rejects with GateError `config-*`. */
  read(name: string): Promise<Uint8Array | null>;
}
