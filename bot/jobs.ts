/** A repository; its number stays when it is renamed. */
export interface RepositoryRef {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

/** What every job of one repository says. */
interface InRepository {
  /** Number of the app's installation whose token does the work. */
  readonly installation: number;
  readonly repository: RepositoryRef;
}

/**
 * Work of the bot's judge. Small and JSON-able: it names what to look at, and everything else is asked of GitHub when it runs,
 * so that a late, repeated or doubled job does no harm.
 */
export type JudgeJob =
  /** Finds the open pull requests whose head is this commit, and adds a `judge` for each. */
  | (InRepository & { readonly kind: 'resolve'; readonly head: string; readonly run?: number; readonly why: string })
  /** Judges a pull request at whatever its head is then. */
  | (InRepository & { readonly kind: 'judge'; readonly pull: number; readonly why: string })
  /** Concludes the check of a commit in the merge queue. */
  | (InRepository & {
      readonly kind: 'merge-group';
      readonly head: string;
      readonly base: string;
      readonly baseRef: string;
    })
  /** Obeys or refuses a comment, whose text is read again. */
  | (InRepository & { readonly kind: 'command'; readonly pull: number; readonly comment: number })
  /** Comes due when the evidence of this head should have been there. */
  | (InRepository & { readonly kind: 'deadline'; readonly pull: number; readonly head: string })
  /** Judges the stored runs of the default branch again, for repositories whose configuration asks; `night` is `2026-11-30`. */
  | (InRepository & { readonly kind: 'reverify'; readonly night: string });

/** Work that finds work: what was missed while the app was down. */
export type SweepJob =
  /** Adds an `installation` job for each installation of the app. */
  | { readonly kind: 'roll-call' }
  /** Adds a `repository` job for each repository that an installation may see, or for one. */
  | { readonly kind: 'installation'; readonly installation: number }
  /** Adds a `judge` for each open pull request of a repository, and the night's `reverify`. */
  | (InRepository & { readonly kind: 'repository' });

export type Job = JudgeJob | SweepJob;

/** GitHub's API as an installation of the app. Octokit is one. */
export interface InstallationApi {
  /**
   * One exchange; `route` as GitHub documents it. Rejects with an error that has `status` and `response` for an answer of 400 or
   * more, and with any other error when there was none. Ids above 2^53 come as bigint. Nothing is tried again here.
   */
  request(
    route: string,
    parameters?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly data: unknown }>;
  graphql(query: string, variables?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Facts of a log line: ids, counts, names of ours. Never text that a model, a comment or a pull request holds. */
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** The log; `event` is a fixed text, so that lines can be counted. */
export interface BotLog {
  debug(event: string, facts?: Facts): void;
  info(event: string, facts?: Facts): void;
  warn(event: string, facts?: Facts): void;
  error(event: string, facts?: Facts): void;
}

/** What a job is given to work with. */
export interface JobContext {
  readonly octokit: InstallationApi;
  readonly log: BotLog;
  /** Aborts when the process ends or another instance has taken the job over: write nothing from then on. */
  readonly signal: AbortSignal;
  /** How often this job was begun before. */
  readonly retries: number;
  /** Who the app is on GitHub: its comments are by `slug[bot]`, its checks by `id`. */
  app(): Promise<{ readonly id: number; readonly slug: string }>;
  /** Adds a job. One that says the same as a waiting one is dropped, unless it comes due earlier. */
  add(job: Job, options?: { readonly delaySeconds?: number }): Promise<void>;
  /**
   * Works alone among all instances on whatever `key` names. Jobs of one lane (see `laneOf`) are alone already; this is for what
   * several lanes share, as the check of a commit that is the head of two pull requests. Never one within another.
   */
  exclusive<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Notes that `by` shows runs of these ids, and gives the ids that another has shown before. */
  claim(ids: readonly string[], by: string): Promise<ReadonlySet<string>>;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Does a job; bot/work/index.ts makes it. What it rejects with decides what follows: `TryAgain` and GitHub's 5xx, rate limits and silence are tried again,
 * later and not for ever; anything else ends the job and is reported once.
 */
export type WorkJob = (job: JudgeJob, context: JobContext) => Promise<void>;

/**
 * The jobs of a webhook, `name` as in its header; none for what does not concern the bot. The payload is unknown at the
 * door.
 */
export type JobsOf = (name: string, payload: unknown) => readonly Job[];

/** What the bot knows of GitHub's events and of judging. */
export interface BotParts {
  readonly jobsOf: JobsOf;
  readonly workJob: WorkJob;
}

/** Thrown by a job to be done again after `afterSeconds`, or after the usual pause when null. */
export class TryAgain extends Error {
  readonly afterSeconds: number | null;

  constructor(
    reason: string,
    { afterSeconds, cause }: { readonly afterSeconds: number | null; readonly cause?: unknown },
  ) {
    super(reason, { cause });
    this.name = 'TryAgain';
    this.afterSeconds = afterSeconds;
  }
}

/** What runs one at a time: everything that may write about one pull request or one commit of the queue. */
export function laneOf(job: Job): string {
  switch (job.kind) {
    case 'judge':
    case 'command':
    case 'deadline':
      return `pull:${job.repository.id}:${job.pull}`;
    case 'resolve':
    case 'merge-group':
      return `head:${job.repository.id}:${job.head}`;
    case 'reverify':
    case 'repository':
      return `${job.kind}:${job.repository.id}`;
    case 'installation':
      return `installation:${job.installation}`;
    case 'roll-call':
      return 'roll-call';
  }
}

/** Two waiting jobs with one key are one: whichever runs sees all that the other would have seen. */
export function keyOf(job: Job): string {
  const lane = laneOf(job);
  switch (job.kind) {
    case 'resolve':
      return `resolve:${lane}:${job.run ?? 'none'}:${job.why}`;
    case 'command':
      return `command:${lane}:${job.comment}`;
    case 'deadline':
      return `deadline:${lane}:${job.head}`;
    case 'reverify':
      return `${lane}:${job.night}`;
    case 'judge':
    case 'merge-group':
      return `${job.kind}:${lane}`;
    default:
      return lane;
  }
}
