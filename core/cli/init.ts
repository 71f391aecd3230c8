import { join } from 'node:path';
import type { StarterAgent } from '../init/index.js';
import type { OwnPackage } from '../io/entry.js';
import { isThere } from '../io/setup-files.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { type InitResult, initRepository, type StarterCopy } from '../runner/init-repository.js';
import { askInit, type InitAnswers } from './ask-init.js';
import type { Call } from './command.js';
import { usage } from './options.js';
import { settingsOf, variableOf } from './settings.js';

/** `grounding init`: writes a starter set, overwrites nothing, and says what to do next. */
export async function execute(call: Call): Promise<Conclusion> {
  const settings = settingsOf(call);
  const { cwd } = call.world;
  const answers = await answersOf(call, {
    hasAgents: isThere(join(cwd, settings.agents)),
    hasSources: isThere(join(cwd, settings.sources.sourcesPath)),
  });
  const { agents: named, copy, workflow } = answers;
  const result = await initRepository({ ...settings, folder: cwd, named, copy, workflow });
  await call.world.out.write(resultText(call, result));
  return 'passed';
}

/** From flags where one is given, or where nobody can be asked. */
async function answersOf(call: Call, known: Parameters<typeof askInit>[1]): Promise<InitAnswers> {
  const { options, world } = call;
  const agents: readonly StarterAgent[] = [
    ...options.texts('module').map((module): StarterAgent => ({ kind: 'module', module })),
    ...options.texts('url').map((url): StarterAgent => ({ kind: 'service', url })),
  ];
  const copy = copyOf(call);
  const workflow = !options.refused('workflow');
  if (agents.length > 0 && known.hasAgents)
    throw usage(
      '--module or --url is given, and there is an agents.yaml',
      'add the agent there, or leave the flag out',
    );
  const isAnswered = agents.length > 0 || copy !== null || !workflow || options.given('yes');
  return isAnswered || !world.isInteractive ? { agents, copy, workflow } : askInit(world, known);
}

function copyOf({ options }: Call): StarterCopy | null {
  const [file, ref, idField] = ['copy', 'ref', 'id-field'].map((name) => options.text(name));
  if (file === undefined && ref === undefined && idField === undefined) return null;
  if (file === undefined || ref === undefined || idField === undefined)
    throw usage('a copy takes --copy, --ref and --id-field together', 'give all three, or none');
  return { file, ref, idField };
}

function resultText(call: Call, result: InitResult): string {
  const { written, left, unreached, templates } = result;
  return [
    ...written.map((path) => `wrote ${oneLine(path)}`),
    ...left.map((path) => `left ${oneLine(path)}, which was there`),
    ...unreached.map((reason) => `not reached: ${oneLine(reason)}`),
    ...templates.map((path) => `to fill in: ${oneLine(path)}`),
    '',
    ...nextSteps(call, result),
    '',
  ].join('\n');
}

/** Indented lines are commands, which lead to a green run when they are carried out in their order. */
function nextSteps(call: Call, { hasPackage, toInstall, templates, unreached }: InitResult): readonly string[] {
  const isNamed =
    variableOf(call, 'DD_PRINCIPAL_ID') !== undefined && variableOf(call, 'DD_PRINCIPAL_NAME') !== undefined;
  return [
    'Next:',
    '',
    ...(hasPackage ? [] : ['    npm init -y']),
    ...(toInstall === null ? [] : installing(toInstall)),
    ...(isNamed ? [] : ['    export DD_PRINCIPAL_ID=mailto:you@example.org DD_PRINCIPAL_NAME="Your Name"']),
    '    npx grounding run',
    '    npx grounding doctor',
    '',
    ...(templates.length === 0 ? [] : ['Fill in what the fixtures above leave open before you run them.']),
    ...(unreached.length === 0
      ? []
      : ['Mend what was not reached, then run grounding init again: it adds what is missing.']),
    ...(toInstall === null || toInstall.kind === 'fetched'
      ? []
      : [
          'The package is installed from a file, which is committed too: the workflow has no other place to take it from.',
        ]),
    'Keep runs/ and node_modules/ out of git, commit the rest, and require the check "grounding" in the rules of your branch.',
  ];
}

/** From a registry only where it came from there; otherwise from a file, which works on a runner of GitHub as well. */
function installing({ root, kind }: OwnPackage): readonly string[] {
  if (kind === 'fetched') return ['    npm install --save-dev grounding-gate'];
  // What is installed already has its build, and not what a build needs.
  const pack = kind === 'installed' ? 'npm pack --ignore-scripts' : 'npm pack';
  return [`    ${pack} ${shellWord(root)}`, '    npm install --save-dev ./grounding-gate-*.tgz'];
}

function shellWord(text: string): string {
  return /^[\w./@+:-]+$/.test(text) ? text : `'${oneLine(text).replaceAll("'", `'\\''`)}'`;
}
