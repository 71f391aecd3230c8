/** What the doors that speak to GitHub share; core/index.ts passes it on. Nothing here opens a connection: a door brings the transport. */
export { apiFiles, blobSha, isLink, type RepositoryName } from './api-files.js';
export {
  ANNOTATIONS_A_REQUEST,
  type CheckConclusion,
  type CheckEnding,
  type CheckOutput,
  type CheckTarget,
  checkRunOf,
  MOST_ANNOTATIONS,
  type OpenCheck,
  openCheck,
} from './check-run.js';
export { callPages, createGitHubClient, idOf } from './client.js';
export { type CommentPlan, type CommentResult, confirmComment, keepComment } from './comment.js';
export { commitFixtureFiles, fromRoot, inRepository, refuseLinkAbove } from './commit-fixtures.js';
export type {
  ApiRequest,
  ApiResult,
  CommitFiles,
  GitHubApi,
  Pause,
  Refused,
  Transport,
  Transported,
  TreeEntry,
} from './ports.js';
