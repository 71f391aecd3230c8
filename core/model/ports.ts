/** The clock as the core sees it; the real one is in core/io. */
export interface Clock {
  /** Nanoseconds since the Unix epoch; never goes back within a process. */
  nowNs(): bigint;
}

/** Source of identifiers; the real one is in core/io. */
export interface Ids {
  /** A UUIDv7, strictly increasing within a process. */
  invocationId(): string;
}
