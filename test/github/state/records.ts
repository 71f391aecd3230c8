/** An account: a person, an organisation, or an app's own user, whose login ends in `[bot]`. */
export interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Organization' | 'Bot';
}

/** What an app may do, by GitHub's names: `{ checks: 'write' }`. */
export type Permissions = Readonly<Record<string, 'read' | 'write' | 'admin'>>;

/** Where a pull request comes from or goes to; `sha` follows the branch while the pull request is open. */
export interface PullSide {
  readonly repository: number;
  readonly label: string;
  readonly ref: string;
  readonly sha: string;
}

/** A pull request; its number is shared with issues, and so are title, text, state and labels. */
export interface Pull {
  readonly number: number;
  readonly id: number;
  readonly issue: Issue;
  readonly headRepository: number | undefined;
  readonly headRef: string;
  baseRef: string;
  headSha: string;
  baseSha: string;
  draft: boolean;
  mergedAt: string | undefined;
  mergeCommit: string | undefined;
}

/** An issue, or the half of a pull request that is one. */
export interface Issue {
  readonly id: number;
  readonly number: number;
  readonly user: Account;
  readonly app: number | undefined;
  readonly isPull: boolean;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'reopened' | 'not_planned' | 'duplicate' | null;
  labels: string[];
  closedAt: string | null;
  readonly createdAt: string;
  updatedAt: string;
}

/** A comment of an issue or pull request; `app` is the app that wrote it, if one did. */
export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly user: Account;
  readonly app: number | undefined;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  readonly reactions: Reaction[];
}

/** One person's reaction to a comment. */
export interface Reaction {
  readonly id: number;
  readonly user: Account;
  readonly content: string;
  readonly createdAt: string;
}

/** A label of a repository. */
export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

/** An annotation as the Checks API takes it. */
export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column?: number;
  readonly end_column?: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
  readonly raw_details?: string;
}

/** What a check run shows. */
export interface CheckOutput {
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
}

/** A button of a check run. */
export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** A check run; `annotations` gather over all requests. */
export interface CheckRun {
  readonly id: number;
  readonly suite: number;
  readonly app: number;
  readonly headSha: string;
  name: string;
  status: string;
  conclusion: string | null;
  startedAt: string | null;
  completedAt: string | null;
  externalId: string;
  detailsUrl: string;
  output: CheckOutput;
  actions: readonly CheckAction[];
  readonly annotations: Annotation[];
}

/** GitHub makes one suite for each app and commit. */
export interface CheckSuite {
  readonly id: number;
  readonly app: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly createdAt: string;
}

/** A workflow file. */
export interface Workflow {
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

/** A run of a workflow; a re-run is a further attempt of it. */
export interface WorkflowRun {
  readonly id: number;
  readonly workflow: number;
  readonly runNumber: number;
  readonly event: string;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly headRepository: number;
  readonly actor: Account;
  readonly title: string;
  readonly createdAt: string;
  readonly backend: string;
  attempt: number;
  status: string;
  conclusion: string | null;
  updatedAt: string;
  readonly jobs: Job[];
}

/** A job of an attempt of a run. */
export interface Job {
  readonly id: number;
  readonly name: string;
  readonly attempt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
}

/** An artifact; `bytes` is the whole zip. */
export interface Artifact {
  readonly id: number;
  readonly name: string;
  readonly run: number;
  readonly attempt: number;
  readonly bytes: Buffer;
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  expired: boolean;
}

/** A SARIF file that was uploaded, unpacked. */
export interface SarifUpload {
  readonly id: string;
  readonly commitSha: string;
  readonly ref: string;
  readonly sarif: unknown;
}

/** A queued group of pull requests, with the commit that the queue made for it. */
export interface MergeGroup {
  readonly ref: string;
  readonly sha: string;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly pulls: readonly number[];
}

/** A webhook that was sent, as the app's own page lists it. */
export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly app: number;
  readonly installation: number | null;
  readonly repository: number | null;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  readonly statusCode: number;
  readonly duration: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly url: string;
  readonly answer: string;
}
