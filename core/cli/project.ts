import { readInputFile } from '../io/input-file.js';
import { type Composable, type JsonNode, parseJson } from '../json/index.js';
import { oneLine } from '../model/errors.js';
import type { ProjectFacts, Version } from '../projects/project.js';
import type { ProjectFolder } from '../projects/projects.js';
import type { Conclusion } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { renderTable } from '../report/table.js';
import { openProjects } from '../runner/open-projects.js';
import type { Call } from './command.js';
import { deliver, refuseUnwritableOutput } from './deliver.js';
import { usage } from './options.js';
import { environmentAuthenticator, requirePrincipal } from './principal.js';
import { settingsOf } from './settings.js';

/** `grounding project init|show|accept`: reads and steers a project; what it is afterwards goes to standard output. */
export async function execute(call: Call): Promise<Conclusion> {
  const [what = '', projectId = '', versionId] = call.args;
  const projects = openProjects(settingsOf(call));
  if (versionId !== undefined && what !== 'accept') throw usage(`${what} takes no version`, 'name the project alone');
  refuseFactsBut(call, what);
  refuseUnwritableOutput(call);
  if (what === 'init') await init(call, { projects, projectId });
  else if (what === 'accept') await accept(call, { projects, projectId, versionId });
  else if (what !== 'show')
    throw usage(`${JSON.stringify(what)} is nothing to do with a project`, 'use init, show or accept');
  const [facts, versions] = [await projects.facts(projectId), await projects.versions(projectId)];
  await deliver(call, call.options.text('format') === 'json' ? asJson(facts, versions) : asText(facts, versions));
  return 'passed';
}

/** A fact that only `init` takes would otherwise seem to have been written. */
function refuseFactsBut({ options }: Call, what: string): void {
  const given = FACTS.filter((name) => options.texts(name).length > 0 || options.text(name) !== undefined);
  if (what === 'init' || given.length === 0) return;
  throw usage(
    `${what} takes no --${given.join(' and no --')}`,
    'give a project its facts with `grounding project init`',
  );
}

const FACTS = ['inventory', 'repository', 'requirements'] as const;

interface Target {
  readonly projects: ProjectFolder;
  readonly projectId: string;
}

async function init({ options }: Call, { projects, projectId }: Target): Promise<void> {
  const inventory = options.text('inventory');
  const repository = options.text('repository');
  const requirements = options.texts('requirements').map((pair): [string, JsonNode] => {
    const at = pair.indexOf('=');
    if (at < 1) throw usage(`--requirements is ${JSON.stringify(pair)}`, 'give the repository, =, and a JSON file');
    return [pair.slice(0, at), readDocument(pair.slice(at + 1))];
  });
  const names = requirements.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw usage(`--requirements names ${JSON.stringify(twice)} twice`, 'give each repository one file');
  await projects.init(projectId, {
    ...(inventory === undefined ? {} : { inventory: readDocument(inventory) }),
    ...(repository === undefined ? {} : { repository }),
    requirements: new Map(requirements),
  });
}

async function accept(
  call: Call,
  { projects, projectId, versionId }: Target & { readonly versionId: string | undefined },
): Promise<void> {
  if (versionId === undefined)
    throw usage('accept names no version', 'give its id, as `grounding project show` lists it');
  const { principalId } = await requirePrincipal(environmentAuthenticator(call));
  await projects.accept(projectId, { versionId, by: principalId });
}

function readDocument(file: string): JsonNode {
  return parseJson(readInputFile(file), { file });
}

function asJson(
  { projectId, inventory, repository, requirements }: ProjectFacts,
  versions: readonly Version[],
): string {
  return jsonText({
    project_id: projectId,
    repository,
    inventory,
    requirements,
    documents: versions.map(
      (one): Composable => ({
        version_id: one.versionId,
        document_kind: one.documentKind,
        state: one.state,
        revises: one.revises,
        proposed_at: one.proposedAt,
      }),
    ),
  });
}

function asText(
  { projectId, inventory, repository, requirements }: ProjectFacts,
  versions: readonly Version[],
): string {
  const lines = [
    `project: ${projectId}`,
    `inventory: ${inventory === undefined ? 'none' : 'yes'}`,
    `requirements of: ${[...requirements.keys()].join(', ') || 'no repository'}`,
    `repository: ${repository ?? 'none chosen'}`,
  ];
  const heading = ['version', 'document', 'state', 'revises', 'proposed'];
  const rows = versions.map((one) => [one.versionId, one.documentKind, one.state, one.revises ?? '-', one.proposedAt]);
  const table =
    rows.length === 0 ? '' : renderTable([heading, ...rows].map((row) => row.map((text) => ({ text: oneLine(text) }))));
  return `${lines.map(oneLine).join('\n')}\n${table}`;
}
