/** What the doors that speak to GitHub share; core/index.ts passes it on. Nothing here opens a connection: a door brings the transport. */
export { type ApiCommit, apiFiles, blobSha, isLink, type RepositoryName } from './api-files.js';
export {
  ANNOTATIONS_A_REQUEST,
  type CheckConclusion,
  type CheckEnding,
  type CheckOutput,
  type CheckTarget,
  checkRunOf,
  type OpenCheck,
  openCheck,
} from './check-run.js';
export { callPages, createGitHubClient, dataOf, idOf, isRateLimited, refusedAs } from './client.js';
export { type CommentPlan, type CommentResult, confirmComment, keepComment, ownMarkers } from './comment.js';
export { commitFixtureFiles, fromRoot, inRepository } from './commit-fixtures.js';
export { inLanes } from './lanes.js';
export { plainBytes, plainFile } from './plain-file.js';
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
export { changesBetween, FOLDER_MODE, type TreeChange, Trees } from './trees.js';
