import { sha256Hex } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { UUID_V7 } from '../model/patterns.js';

/** The class of a request for a draft, which is given the project's facts (contract 3). */
export const DRAFT_REQUEST = 'DraftRequest';

/** The class of a payload that becomes a version of a document. */
export const DOCUMENT = 'Document';

/** The members of a `DraftRequest` that come from the project and never from the caller. */
export const FACTS = ['inventory', 'requirements'] as const;

/** Such an id is the name of a folder everywhere. */
const PROJECT_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** An id that can be the name of a folder; throws GateError `project-unknown` for any other. */
export function assertProjectId(projectId: string): void {
  if (PROJECT_ID.test(projectId) && !projectId.endsWith('.')) return;
  throw gateError('project-unknown', {
    blame: 'caller',
    message: `${JSON.stringify(projectId)} is no id of a project`,
    remedy: 'use small letters, digits, dots, dashes and underscores, at most 64',
  });
}

/** Whether a text can be the id of a version: the id of the run that caused it. */
export function isVersionId(text: string): boolean {
  return UUID_V7.test(text);
}

/** Where things stand, relative to the projects folder. */
export const PATHS = {
  facts: (projectId: string) => `${projectId}/project.json`,
  versions: (projectId: string) => `${projectId}/documents`,
  version: (projectId: string, versionId: string) => `${projectId}/documents/${versionId}.json`,
  acceptance: (projectId: string, versionId: string) => `${projectId}/accepted/${versionId}.json`,
  // The id of a conversation may hold anything.
  conversation: (conversationId: string) => `.conversations/${sha256Hex(conversationId)}.json`,
} as const;
