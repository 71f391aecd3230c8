import { type Composable, composeJson, type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';

/** The facts of a project, as `project.json` keeps them. */
export interface ProjectFacts {
  readonly projectId: string;
  /** The latest inventory. */
  readonly inventory?: JsonNode;
  /** What each repository requires, by its name. */
  readonly requirements: ReadonlyMap<string, JsonNode>;
  /** The repository that was chosen. */
  readonly repository?: string;
}

/** A version of a document, caused by a run and accepted, if at all, by a person. */
export interface Version {
  readonly versionId: string;
  readonly documentKind: string;
  readonly revises?: string;
  /** RFC 3339. */
  readonly proposedAt: string;
  readonly state: 'proposed' | 'accepted';
  readonly document: JsonNode;
}

/** Reads `project.json`; throws GateError `project-malformed`. */
export function parseFacts(
  bytes: Uint8Array,
  { projectId, file }: { readonly projectId: string; readonly file: string },
): ProjectFacts {
  const node = parseJson(bytes, { file });
  const requirements = node.present('requirements');
  const repository = node.present('repository');
  const inventory = node.present('inventory');
  const fits =
    node.get('project_id')?.string() === projectId &&
    (requirements === undefined || requirements.kind === 'object') &&
    (repository === undefined || repository.kind === 'string');
  if (!fits) throw malformed(file);
  const chosen = repository?.string();
  return {
    projectId,
    ...(inventory === undefined ? {} : { inventory }),
    requirements: new Map(requirements?.entries() ?? []),
    ...(chosen === undefined ? {} : { repository: chosen }),
  };
}

/** The bytes of `project.json`. */
export function composeFacts({ projectId, inventory, requirements, repository }: ProjectFacts): Uint8Array {
  return composeJson({ project_id: projectId, repository, inventory, requirements });
}

/** What the project puts into a `DraftRequest`: the inventory, and what the chosen repository requires. */
export function factsForDraft({ inventory, requirements, repository }: ProjectFacts): ReadonlyMap<string, JsonNode> {
  const required = repository === undefined ? undefined : requirements.get(repository);
  return new Map([
    ...(inventory === undefined ? [] : [['inventory', inventory] as const]),
    ...(required === undefined ? [] : [['requirements', required] as const]),
  ]);
}

/** Reads the file of a version; `accepted` says whether there is one that accepts it. Throws GateError `project-malformed`. */
export function parseVersion(
  bytes: Uint8Array,
  { versionId, file, accepted }: { readonly versionId: string; readonly file: string; readonly accepted: boolean },
): Version {
  const node = parseJson(bytes, { file });
  const document = node.get('document');
  const documentKind = document?.get('document_kind')?.string();
  const proposedAt = node.get('proposed_at')?.string();
  if (
    document === undefined ||
    documentKind === undefined ||
    proposedAt === undefined ||
    node.get('version_id')?.string() !== versionId
  )
    throw malformed(file);
  const revises = document.present('revises')?.string();
  const state = accepted ? 'accepted' : 'proposed';
  return { versionId, documentKind, ...(revises === undefined ? {} : { revises }), proposedAt, state, document };
}

/** The bytes of a version's file. */
export function composeVersion({
  versionId,
  proposedAt,
  document,
}: Omit<Version, 'state' | 'documentKind'>): Uint8Array {
  const members: Composable = { version_id: versionId, caused_by: versionId, proposed_at: proposedAt, document };
  return composeJson(members);
}

/** Reads the file that accepts a version; throws GateError `project-malformed`. */
export function checkAcceptance(bytes: Uint8Array, at: { readonly versionId: string; readonly file: string }): void {
  if (parseJson(bytes, at).get('version_id')?.string() !== at.versionId) throw malformed(at.file);
}

/** The project that a conversation started with, or null when it started without one; throws GateError `project-malformed`. */
export function parseConversation(
  bytes: Uint8Array,
  { conversationId, file }: { readonly conversationId: string; readonly file: string },
): string | null {
  const node = parseJson(bytes, { file });
  const project = node.get('project_id');
  const projectId = project?.string();
  if (node.get('conversation_id')?.string() !== conversationId) throw malformed(file);
  if (projectId !== undefined) return projectId;
  if (project?.kind === 'null') return null;
  throw malformed(file);
}

/** `project-malformed`: what stands in a file of a project is not what belongs there. */
export function malformed(file: string): Error {
  return gateError('project-malformed', {
    blame: 'configuration',
    message: 'this is not what a project keeps here',
    remedy: 'restore the file, or move it away',
    place: { file },
  });
}
