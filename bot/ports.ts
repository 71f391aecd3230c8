import type { InstallationApi } from './jobs.js';

/** GitHub as the app and as its installations; the real one is bot/io/github.ts. */
export interface GitHubApp {
  /** As the app itself, for what concerns its installations. */
  readonly app: InstallationApi;
  /** As an installation; its token is fetched when first needed. Every request ends when `signal` aborts. */
  installation(id: number, signal: AbortSignal): Promise<InstallationApi>;
  /** Who the app is; asked for once. */
  identity(): Promise<{ readonly id: number; readonly slug: string }>;
  /** Lets go of an installation's token: what it may do has changed, or it is of no use any more. */
  forget(installation: number): void;
}

/** What is counted; the real one is bot/io/metrics.ts. Labels come from closed sets. */
export interface Metrics {
  delivery(one: { readonly event: string; readonly outcome: DeliveryOutcome }): void;
  job(one: { readonly kind: string; readonly outcome: JobOutcome; readonly seconds: number }): void;
  /** The status of an answer of GitHub's. */
  request(status: number): void;
  /** A list that changed while it was read, so that its end may have been missed. */
  incomplete(list: string): void;
}

/** What became of a delivery: its jobs are kept, it was known already, or it asks for nothing. */
export type DeliveryOutcome = 'queued' | 'repeated' | 'nothing' | 'failed';

/** What became of one turn of a job. */
export type JobOutcome = 'done' | 'again' | 'held' | 'refused' | 'given-up' | 'broken' | 'handed-back';

/** Time, for which a pure file has no clock. */
export interface BotClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The same as `2026-11-30T19:46:35.000Z`. */
  iso(): string;
}
