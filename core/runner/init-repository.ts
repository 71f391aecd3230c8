import { dirname, join, resolve } from 'node:path';
import type { AgentSpecification } from '../agents/specification.js';
import { unavailableText } from '../agents/unavailable-text.js';
import { checkClass } from '../contract/check-class.js';
import { classSchemaOf } from '../contract/class-schema.js';
import type { SchemaChecker } from '../contract/ports.js';
import { TO_FILL_IN } from '../fixtures/index.js';
import {
  agentsFile,
  type DraftInput,
  draftInput,
  EXAMPLE,
  EXAMPLE_AGENT,
  EXAMPLE_RECORDS,
  emptySourcesFile,
  fixtureFile,
  PULL_REQUEST_WORKFLOW,
  profileFile,
  type StarterAgent,
  type StarterFile,
} from '../init/index.js';
import { type OwnPackage, ownPackage } from '../io/entry.js';
import { createSchemaProcess } from '../io/schema-process.js';
import { isThere, writeNewFile } from '../io/setup-files.js';
import { diskSourceFiles } from '../io/source-files.js';
import { type Composable, composeJson, jsonOf, parseJson } from '../json/index.js';
import { pinSource } from '../sources/index.js';
import { openEachAgent } from './open-registry.js';
import type { SessionSettings } from './session.js';

/** A copy of a source to pin. */
export interface StarterCopy {
  readonly file: string;
  readonly ref: string;
  readonly idField: string;
}

/** What a starter set is made for; paths are relative to `folder`, which is the process's. */
export interface InitSettings extends Pick<SessionSettings, 'profile' | 'sources' | 'agents' | 'runs' | 'environment'> {
  readonly folder: string;
  /** None stands for an example, where there is no agents.yaml either. */
  readonly named: readonly StarterAgent[];
  readonly copy: StarterCopy | null;
  readonly workflow: boolean;
}

/** What became of the files, and what a reader has to know. */
export interface InitResult {
  readonly written: readonly string[];
  /** Files that were there already. */
  readonly left: readonly string[];
  /** Agents that could not be reached, each with the reason. */
  readonly unreached: readonly string[];
  /** Fixtures with texts to be filled in. */
  readonly templates: readonly string[];
  readonly hasPackage: boolean;
  /** Where this package comes from when the folder, or one above it, does not have it installed; null when it does. */
  readonly toInstall: OwnPackage | null;
}

const WORKFLOW = '.github/workflows/grounding.yml';

/**
 * Writes a starter set and overwrites nothing. Each file appears whole or not at all; throws GateError `output-unwritable`, and
 * what `grounding pin` refuses a copy for.
 */
export async function initRepository(settings: InitSettings): Promise<InitResult> {
  const { folder } = settings;
  const files = new Written(folder);
  const isExample = settings.named.length === 0 && !isThere(join(folder, settings.agents));
  if (isExample) writeExample(files);
  const agents: readonly StarterAgent[] = isExample ? [{ kind: 'module', module: EXAMPLE.module }] : settings.named;
  files.add(agentsFile(settings.agents, agents));
  const asked = isExample ? EXAMPLE_ASKED : await askAgents(settings);
  files.add(profileFile(settings.profile, asked.classes));
  writeSources(files, settings, isExample);
  for (const { agentId, draft } of asked.drafts)
    files.add(fixtureFile(agentId, draft.input), draft.kind === 'template');
  if (settings.workflow) files.add({ path: WORKFLOW, text: PULL_REQUEST_WORKFLOW });
  return {
    written: files.written,
    left: files.left,
    unreached: asked.unreached,
    templates: files.templates,
    hasPackage: isThere(join(folder, 'package.json')),
    toInstall: isInstalled(folder) ? null : ownPackage(),
  };
}

/** Whether a module of the folder finds this package, as Node looks for it. */
function isInstalled(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isThere(join(at, 'node_modules/grounding-gate'))) return true;
    if (dirname(at) === at) return false;
  }
}

class Written {
  readonly #folder: string;
  readonly written: string[] = [];
  readonly left: string[] = [];
  readonly templates: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether the file was written now. */
  add({ path, text }: StarterFile, isTemplate = false): boolean {
    const isNew = writeNewFile({ path, folder: this.#folder }, text);
    (isNew ? this.written : this.left).push(path);
    if (isNew && isTemplate) this.templates.push(path);
    return isNew;
  }
}

function writeExample(files: Written): void {
  files.add({ path: EXAMPLE.module, text: EXAMPLE_AGENT });
  files.add({ path: EXAMPLE.records, text: EXAMPLE_RECORDS });
}

function writeSources(files: Written, { folder, sources, copy }: InitSettings, isExample: boolean): void {
  const { sourcesPath } = sources;
  const example = { file: EXAMPLE.records, ref: EXAMPLE.snapshotRef, idField: EXAMPLE.idField };
  const chosen = copy ?? (isExample ? example : null);
  if (isThere(join(folder, sourcesPath))) {
    files.left.push(sourcesPath);
    return;
  }
  if (chosen === null) {
    files.add(emptySourcesFile(sourcesPath));
    return;
  }
  pinSource(diskSourceFiles, { sourcesPath, ...chosen });
  files.written.push(sourcesPath);
}

interface Asked {
  /** Agent id to the class of action that it declares. */
  readonly classes: ReadonlyMap<string, string>;
  readonly drafts: readonly { readonly agentId: string; readonly draft: DraftInput }[];
  readonly unreached: readonly string[];
}

/** The example's library may not be installed yet, so that it is not asked. */
const EXAMPLE_ASKED: Asked = {
  classes: new Map([[EXAMPLE.agentId, EXAMPLE.actionClass]]),
  drafts: [{ agentId: EXAMPLE.agentId, draft: { kind: 'complete', input: EXAMPLE.input } }],
  unreached: [],
};

async function askAgents(settings: InitSettings): Promise<Asked> {
  const { registry, faults } = await openEachAgent(settings);
  const schemas = createSchemaProcess();
  try {
    const specifications = [...registry.agents.values()].map(({ specification }) => specification);
    const drafts = [];
    for (const one of specifications) drafts.push({ agentId: one.agentId, draft: await draftFor(one, schemas) });
    return {
      classes: new Map(specifications.map(({ agentId, actionClass }) => [agentId, actionClass])),
      drafts,
      unreached: [
        ...faults.map((fault) => fault.describe()),
        ...registry.unavailable.map(unavailableText),
        ...registry.incompatible.map(
          ({ label, theirs, ours }) => `${label}: made for contract ${theirs}, this is ${ours}`,
        ),
      ],
    };
  } finally {
    await schemas.close();
    await registry.close();
  }
}

/** An input of the first class that the agent reads; one that does not fit after all is a template as well. */
async function draftFor({ accepts, schemas }: AgentSpecification, checker: SchemaChecker): Promise<DraftInput> {
  const [name = ''] = accepts;
  const schema = classSchemaOf(name, schemas)?.schema ?? jsonOf({ type: 'object' });
  const draft = draftInput(schema, name);
  if (draft.kind === 'template') return draft;
  const document = parseJson(composeJson(draft.input), { file: 'input' });
  const check = await checkClass(document, { name, declared: schemas, checker });
  return check.kind === 'valid' ? draft : { kind: 'template', input: withNote(draft.input) };
}

/** Every value was made up, and together they do not fit: which one is wrong, a person has to see. */
function withNote(input: DraftInput['input']): DraftInput['input'] {
  const node = parseJson(composeJson(input), { file: 'input' });
  return new Map<string, Composable>([
    ...node.entries(),
    ['fill_in', `${TO_FILL_IN}values that fit the class, and remove this member`],
  ]);
}
