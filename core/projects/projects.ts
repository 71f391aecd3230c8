import type { ProjectEntry, Projects, ProposedPayload } from '../conductor/ports.js';
import { type Composable, composeJson, hashOf, type JsonNode, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { Clock } from '../model/ports.js';
import { timestampOf } from '../trace/timestamp.js';
import { assertProjectId, DOCUMENT, DRAFT_REQUEST, FACTS, isVersionId, PATHS } from './names.js';
import type { ProjectFiles } from './ports.js';
import {
  checkAcceptance,
  composeFacts,
  composeVersion,
  factsForDraft,
  type ProjectFacts,
  parseConversation,
  parseFacts,
  parseVersion,
  type Version,
} from './project.js';

/** What projects need of the world. */
export interface ProjectsWorld {
  readonly files: ProjectFiles;
  readonly clock: Clock;
  /** The envelope of a stored run, null when there is none: a version counts from the moment at which the run that caused it does. */
  storedEnvelope(invocationId: string): Promise<Uint8Array | null>;
}

/** The projects of a folder: what a run gets from them and leaves in them, and what a person does with them. */
export class ProjectFolder implements Projects {
  readonly #files: ProjectFiles;
  readonly #clock: Clock;
  readonly #storedEnvelope: ProjectsWorld['storedEnvelope'];

  constructor({ files, clock, storedEnvelope }: ProjectsWorld) {
    this.#files = files;
    this.#clock = clock;
    this.#storedEnvelope = storedEnvelope;
  }

  async enter({ conversationId, named }: { readonly conversationId?: string; readonly named?: string }) {
    if (named !== undefined) await this.facts(named);
    if (conversationId === undefined) {
      if (named === undefined) return { projectId: null, record: nothing };
      throw refused('project-conversation', 'a project is named without a conversation', 'name the conversation too');
    }
    const recorded = await this.#conversation(conversationId);
    if (recorded === undefined) return this.#newConversation(conversationId, named ?? null);
    if (named !== undefined && named !== recorded) throw ofAnother(conversationId);
    if (recorded !== null) await this.facts(recorded);
    return { projectId: recorded, record: nothing };
  }

  async placeFacts(projectId: string, input: JsonNode): Promise<JsonNode> {
    if (input.get('schema_class')?.string() !== DRAFT_REQUEST) return input;
    const facts = factsForDraft(await this.facts(projectId));
    const ownWords = input.entries().filter(([key]) => !FACTS.some((fact) => fact === key));
    const members = new Map<string, Composable>([...ownWords, ...facts]);
    return parseJson(composeJson(members), { file: input.place().file });
  }

  async propose(
    projectId: string,
    { invocationId, payload }: { readonly invocationId: string; readonly payload: JsonNode },
  ): Promise<ProposedPayload> {
    if (payload.get('schema_class')?.string() !== DOCUMENT) return { kind: 'none' };
    await this.facts(projectId);
    const reason = await this.#faultOfRevision(projectId, payload);
    if (reason !== null) return { kind: 'refused', reason };
    const path = PATHS.version(projectId, invocationId);
    const proposedAt = timestampOf(this.#clock.nowNs());
    // Written before its run is: what a crash leaves behind in between is no version.
    await this.#files.replace(path, composeVersion({ versionId: invocationId, proposedAt, document: payload }));
    return {
      kind: 'added',
      undo: async () => {
        // A write that failed at its last step may have left the run all the same.
        if ((await this.#storedEnvelope(invocationId)) === null) await this.#files.remove(path);
      },
    };
  }

  /** The facts of a project; rejects with GateError `project-unknown` or `project-malformed`. */
  async facts(projectId: string): Promise<ProjectFacts> {
    assertProjectId(projectId);
    const path = PATHS.facts(projectId);
    const bytes = await this.#files.read(path);
    if (bytes !== null) return parseFacts(bytes, { projectId, file: this.#files.shown(path) });
    throw refused(
      'project-unknown',
      `there is no project ${JSON.stringify(projectId)}`,
      'make it with `grounding project init`',
    );
  }

  /** Makes a project, or gives one further facts; what is left out stays. Resolves with the facts as they are now. */
  async init(
    projectId: string,
    given: {
      readonly inventory?: JsonNode;
      readonly requirements: ReadonlyMap<string, JsonNode>;
      readonly repository?: string;
    },
  ): Promise<ProjectFacts> {
    assertProjectId(projectId);
    const path = PATHS.facts(projectId);
    // Two at once would each write what they read and were given, and the later lose what the sooner was.
    return this.#files.alone(projectId, async () => {
      const bytes = await this.#files.read(path);
      const file = this.#files.shown(path);
      const before: ProjectFacts =
        bytes === null ? { projectId, requirements: new Map() } : parseFacts(bytes, { projectId, file });
      const facts = { ...before, ...given, requirements: new Map([...before.requirements, ...given.requirements]) };
      await this.#files.replace(path, composeFacts(facts));
      return facts;
    });
  }

  /** The versions of a project's documents, in the order of their ids, which is that of their runs. */
  async versions(projectId: string): Promise<readonly Version[]> {
    await this.facts(projectId);
    const names = await this.#files.list(PATHS.versions(projectId));
    const ids = names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
    const read = await Promise.all(ids.filter(isVersionId).map((id) => this.#version(projectId, id)));
    return read.filter((version) => version !== null);
  }

  /** Accepts a proposed version for a person; rejects with GateError `version-unknown`. */
  async accept(
    projectId: string,
    { versionId, by }: { readonly versionId: string; readonly by: string },
  ): Promise<Version> {
    await this.facts(projectId);
    const version = await this.#version(projectId, versionId);
    const record = { version_id: versionId, accepted_at: timestampOf(this.#clock.nowNs()), accepted_by: by };
    const path = PATHS.acceptance(projectId, versionId);
    if (version !== null && (await this.#files.create(path, composeJson(record))))
      return { ...version, state: 'accepted' };
    const why = version === null ? 'has no version' : 'has accepted the version';
    throw refused(
      'version-unknown',
      `${projectId} ${why} ${JSON.stringify(versionId)}`,
      'see `grounding project show`',
    );
  }

  async #version(projectId: string, versionId: string): Promise<Version | null> {
    if (!isVersionId(versionId)) return null;
    const path = PATHS.version(projectId, versionId);
    const bytes = await this.#files.read(path);
    const envelope = bytes === null ? null : await this.#storedEnvelope(versionId);
    if (bytes === null || envelope === null) return null;
    const acceptance = PATHS.acceptance(projectId, versionId);
    const accepting = await this.#files.read(acceptance);
    if (accepting !== null) checkAcceptance(accepting, { versionId, file: this.#files.shown(acceptance) });
    const file = this.#files.shown(path);
    const version = parseVersion(bytes, { versionId, file, accepted: accepting !== null });
    return caused(version, { projectId, envelope }) ? version : null;
  }

  /** Why a document cannot be added: it revises what the project does not have, or a document of another kind. */
  async #faultOfRevision(projectId: string, document: JsonNode): Promise<string | null> {
    const kind = document.get('document_kind')?.string();
    if (kind === undefined) return 'the document names no document_kind';
    const revises = document.present('revises');
    if (revises === undefined) return null;
    const version = await this.#version(projectId, revises.string() ?? '');
    const shown = JSON.stringify(revises.string() ?? null);
    if (version === null) return `the draft revises ${shown}, and the project has no such version`;
    if (version.documentKind === kind) return null;
    return `the draft is a ${JSON.stringify(kind)} and revises ${shown}, which is a ${JSON.stringify(version.documentKind)}`;
  }

  /** Undefined for a conversation that has not started, null for one that started without a project. */
  async #conversation(conversationId: string): Promise<string | null | undefined> {
    const path = PATHS.conversation(conversationId);
    const bytes = await this.#files.read(path);
    const file = this.#files.shown(path);
    return bytes === null ? undefined : parseConversation(bytes, { conversationId, file });
  }

  #newConversation(conversationId: string, projectId: string | null): ProjectEntry {
    return {
      projectId,
      record: async () => {
        // Who has no projects gets no folder of them.
        if (projectId === null && (await this.#files.list('')).length === 0) return;
        const bytes = composeJson({ conversation_id: conversationId, project_id: projectId });
        if (await this.#files.create(PATHS.conversation(conversationId), bytes)) return;
        // Another process may have begun the same conversation just now.
        if ((await this.#conversation(conversationId)) !== projectId) throw ofAnother(conversationId);
      },
    };
  }
}

async function nothing(): Promise<void> {}

/**
 * Whether a stored run ended with this very document in this project. What an attempt wrote that was killed before its run was stored
 * is no version either once another attempt under the same id has been.
 */
function caused(
  { versionId, document }: Version,
  { projectId, envelope }: { readonly projectId: string; readonly envelope: Uint8Array },
): boolean {
  const run = parseJson(envelope, { file: `${versionId}/envelope.json` });
  const payload = run.get('payload');
  return (
    run.get('invocation_id')?.string() === versionId &&
    run.get('project_id')?.string() === projectId &&
    run.get('outcome')?.get('status')?.string() === 'succeeded' &&
    payload !== undefined &&
    hashOf(payload, 'dd-json-document-v1') === hashOf(document, 'dd-json-document-v1')
  );
}

function ofAnother(conversationId: string): Error {
  const message = `the conversation ${JSON.stringify(conversationId)} belongs to another project, or to none`;
  return refused('conversation-of-another', message, 'begin another conversation');
}

function refused(
  code: 'project-unknown' | 'project-conversation' | 'conversation-of-another' | 'version-unknown',
  message: string,
  remedy: string,
): Error {
  return gateError(code, { blame: 'caller', message, remedy });
}
