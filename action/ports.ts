import type { CommitFiles } from '../core/index.js';

/** Where the Action tells what it does; the real one is action/io/runner.ts. */
export interface RunnerLog {
  /** Lines of our own words. */
  info(text: string): void;
  /** Text that holds words of others: the runner obeys no command in it. */
  untrusted(text: string): void;
  /** Commands that were composed for the runner to obey. */
  commands(text: string): void;
  warning(line: string): void;
  error(line: string): void;
  /** From now on the runner obeys nothing in the log, whoever writes it, until the returned function is called. */
  hush(): () => void;
  /** From now on the runner hides this text in the log. */
  mask(secret: string): void;
}

/** The checked-out repository; the real one is action/io/git.ts. */
export interface GitCheckout {
  /** Real path of the working tree. */
  readonly root: string;
  /** The commit that is checked out. */
  head(): Promise<string>;
  /** The parents that a commit names, whether the checkout holds them or not. */
  parents(commit: string): Promise<readonly string[]>;
  has(commit: string): Promise<boolean>;
  /** Whether a commit is part of what is checked out; null when git cannot tell. */
  contains(commit: string): Promise<boolean | null>;
  files(commit: string): CommitFiles;
  /** Paths that differ between a commit and the checked-out one; null when git cannot tell. */
  changedSince(commit: string): Promise<readonly string[] | null>;
}
