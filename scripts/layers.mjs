// The house, folder by folder: what each holds, what it may import and what it may not do. scripts/check-layers.mjs
// enforces this table and docs/architecture.md prints it, so that the two cannot drift apart.

/**
 * `mayImport` names other layers, `packages` npm packages by exact specifier or `name/*`; the longest matching `folder` decides.
 * `world` lists the globals and Node modules that a layer may touch although the core is pure ('*' is everything).
 * `siblings: false` forbids imports within the layer; `never` forbids single files of a layer that is otherwise allowed.
 * @typedef {{
 *   folder: string, holds: string, mayNot: string, mayImport: readonly string[], packages?: readonly string[],
 *   world?: '*' | readonly string[], siblings?: boolean, never?: readonly string[],
 * }} Layer
 */

const PURE = ['core/model', 'core/json'];

/** The folders that declare ports for core/io. */
const PARTS = [
  ...PURE,
  'core/config',
  'core/contract',
  'core/trace',
  'core/sources',
  'core/policy',
  'core/agents',
  'core/conductor',
  'core/doors',
  'core/projects',
  'core/fixtures',
  'core/recordings',
  'core/store',
  'core/reverify',
  'core/html',
];

/** @type {readonly Layer[]} */
export const LAYERS = [
  {
    folder: 'core/model',
    holds: 'types and total functions over them: outcome, violation, report, the error class and its table of codes',
    mayNot: 'import any other folder',
    mayImport: [],
    packages: ['fastest-levenshtein'],
  },
  {
    folder: 'core/json',
    holds: 'the one strict reader (lexemes, positions), canonical bytes, canonicalisations, digests, the JSON writer',
    mayNot: 'know what a document means',
    mayImport: ['core/model'],
  },
  {
    folder: 'core/config',
    holds: 'the strict YAML reader that every configuration file goes through',
    mayNot: 'open a file, or know which configuration it reads',
    mayImport: PURE,
    packages: ['js-yaml'],
  },
  {
    folder: 'core/contract',
    holds: 'the JSON Schemas as compiled validators, the rules across members, class schemas',
    mayNot: 'judge grounding',
    mayImport: [...PURE, 'core/contract/generated'],
    packages: ['ajv', 'ajv/*', 'ajv-formats', 'ajv-formats/*'],
  },
  {
    folder: 'core/contract/generated',
    holds: 'the validators as scripts/build-validators.mjs compiles them from schemas/',
    mayNot: 'be edited by hand',
    mayImport: ['core/json', 'core/contract'],
    // The check of a date counts the days of its month with a Date; it never asks what time it is.
    world: ['Date'],
  },
  {
    folder: 'core/trace',
    holds: 'span names, the reader of span files, the span tree, the tracer',
    mayNot: 'judge: it says what a trace holds, not whether that is right',
    mayImport: PURE,
    packages: ['@opentelemetry/api', '@opentelemetry/core', '@opentelemetry/sdk-trace-base'],
  },
  {
    folder: 'core/lint',
    holds: 'the registry of rules, the linter that runs them, what each mode means',
    mayNot: 'read a file, throw for what an agent did',
    mayImport: [...PURE, 'core/trace', 'core/lint/rules'],
  },
  {
    folder: 'core/lint/rules',
    holds: 'one grounding rule a file: its metadata, then its check',
    mayNot: 'import another rule, or the linter that runs it',
    mayImport: [...PURE, 'core/trace', 'core/lint'],
    siblings: false,
    never: ['core/lint/rules.ts', 'core/lint/lint.ts'],
  },
  {
    folder: 'core/sources',
    holds: 'the sources configuration, the record index, the source check and its two rules',
    mayNot: 'open a file itself, or fetch anything',
    mayImport: [...PURE, 'core/config'],
  },
  {
    folder: 'core/policy',
    holds: 'the profile and the gate in front of every run',
    mayNot: 'know an agent beyond its id and action class',
    mayImport: [...PURE, 'core/config'],
  },
  {
    folder: 'core/agents',
    holds: 'the specification, the registry, agents in a process of their own, the library that an agent imports',
    mayNot: 'see a principal, a profile or a stored run',
    mayImport: [...PURE, 'core/config', 'core/contract', 'core/trace'],
    packages: [
      '@a2a-js/sdk',
      '@a2a-js/sdk/*',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/sdk-trace-base',
    ],
  },
  {
    folder: 'core/agents/delegate/index.ts',
    holds: 'the public interface of the library that an agent imports',
    mayNot: 'hold logic',
    mayImport: [...PURE, 'core/agents', 'core/io'],
  },
  {
    folder: 'core/conductor',
    holds: 'the steps of a run, from the request to the judged envelope, and the ports they need',
    mayNot: 'know any payload class or any single agent',
    mayImport: [
      ...PURE,
      'core/contract',
      'core/trace',
      'core/lint',
      'core/sources',
      'core/policy',
      'core/agents',
      'core/report',
    ],
  },
  {
    folder: 'core/doors',
    holds: 'what runs are served while they are in progress: pinned copies over HTTP and MCP, and calls of models',
    mayNot: 'listen, or serve a record that the witness of the run has not noted',
    mayImport: [...PURE, 'core/trace', 'core/sources', 'core/agents', 'core/conductor'],
    packages: ['@modelcontextprotocol/server'],
  },
  {
    folder: 'core/projects',
    holds: 'projects: their facts, the documents and versions, and which conversation belongs to which',
    mayNot: 'run or judge anything',
    mayImport: [...PURE, 'core/trace', 'core/conductor'],
  },
  {
    folder: 'core/fixtures',
    holds: 'fixtures, what they expect, and whether a run met it',
    mayNot: 'run anything',
    mayImport: [...PURE, 'core/config'],
  },
  {
    folder: 'core/recordings',
    holds: 'what agents gave back, kept to be judged again: the format, the recorder, and agents that answer from it',
    mayNot: 'open a file, call an agent, or judge',
    mayImport: [...PURE, 'core/contract', 'core/trace', 'core/agents', 'core/conductor'],
  },
  {
    folder: 'core/doctor',
    holds: 'what would make the gate blind or red: workflows, profile and fixtures held against the agents',
    mayNot: 'open a file, start an agent, or judge a run',
    mayImport: [...PURE, 'core/config', 'core/contract', 'core/policy', 'core/agents', 'core/fixtures'],
  },
  {
    folder: 'core/watch',
    holds: 'what a changed file touches: the imports of a module, and which fixtures are to be run again',
    mayNot: 'watch a file, or run anything',
    mayImport: PURE,
    packages: ['es-module-lexer/js'],
  },
  {
    folder: 'core/init',
    holds: 'the files of a starter set, and inputs made up from class schemas',
    mayNot: 'open a file, or ask anybody anything',
    mayImport: [...PURE, 'core/config', 'core/sources', 'core/fixtures'],
  },
  {
    folder: 'core/store',
    holds: 'run folders, the index, locks, repair, the run crate',
    mayNot: 'judge a run, or change a stored one',
    mayImport: [...PURE, 'core/conductor'],
  },
  {
    folder: 'core/reverify',
    holds: 'stored runs judged again: tests for tampering, the index, shards, the cache, drift, seals',
    mayNot: 'open a file, or repair anything',
    mayImport: [...PURE, 'core/trace', 'core/lint', 'core/sources', 'core/store', 'core/report'],
  },
  {
    folder: 'core/report',
    holds: 'the report model, one small file a format, the conclusion and its exit code',
    mayNot: 'print: a renderer takes a report and returns a string',
    mayImport: [...PURE, 'core/contract', 'core/lint', 'core/sources', 'core/fixtures'],
    packages: ['picocolors', 'fast-json-stable-stringify'],
  },
  {
    folder: 'core/github',
    holds: 'what the doors that speak to GitHub share: the files of a commit, one comment, a check run, over one port',
    mayNot: 'open a connection, or know which door it serves',
    mayImport: [...PURE, 'core/fixtures', 'core/report'],
  },
  {
    folder: 'core/change',
    holds:
      'what a change did to that by which it is judged, and whether the runs that are shown for it are the wanted ones',
    mayNot: 'fetch anything, or judge a run',
    mayImport: [
      ...PURE,
      'core/agents',
      'core/policy',
      'core/fixtures',
      'core/sources',
      'core/store',
      'core/reverify',
      'core/report',
      'core/github',
    ],
  },
  {
    folder: 'core/html',
    holds: 'the report as pages: what a run and all runs together look like, as escaped markup',
    mayNot: 'judge, open a file, or let a text become markup outside its one template function',
    mayImport: [
      ...PURE,
      'core/trace',
      'core/lint',
      'core/sources',
      'core/store',
      'core/reverify',
      'core/report',
      'core/html/generated',
    ],
    packages: ['d3-scale', 'd3-shape'],
  },
  {
    folder: 'core/html/client',
    holds: "what runs in the reader's browser: the style, and the overview's script",
    mayNot: 'be imported: scripts/build-report-assets.mjs makes text of it',
    mayImport: [],
    world: ['Date'],
  },
  {
    folder: 'core/html/generated',
    holds: 'style and script as scripts/build-report-assets.mjs makes them from core/html/client',
    mayNot: 'be edited by hand',
    mayImport: [],
  },
  {
    folder: 'core/io',
    holds: 'the only impure corner: files, clock, ids, child processes, workers',
    mayNot: 'decide anything: it implements the ports that other folders declare',
    mayImport: PARTS,
    packages: [
      '@a2a-js/sdk',
      '@a2a-js/sdk/*',
      'express',
      'uuid',
      '@opentelemetry/core',
      '@opentelemetry/api',
      '@opentelemetry/sdk-trace-base',
      'ajv',
      'ajv/*',
      'ajv-formats',
      'chokidar',
      'tar-stream',
    ],
    world: '*',
  },
  {
    folder: 'core/runner',
    holds: 'the pieces put together: what a run needs, opened from its settings, and fixtures worked through it',
    mayNot: 'read arguments or the environment, or print',
    mayImport: [...PARTS, 'core/doctor', 'core/init', 'core/watch', 'core/report', 'core/io'],
    packages: ['p-limit'],
  },
  {
    folder: 'core/cli',
    holds: 'one file a command, the options they share, the progress bar',
    mayNot: 'touch the process: it gets the world from main.ts',
    mayImport: [
      ...PARTS,
      'core/doctor',
      'core/init',
      'core/watch',
      'core/lint',
      'core/report',
      'core/runner',
      'core/io',
    ],
    packages: ['commander', 'cli-progress', '@clack/prompts'],
  },
  {
    folder: 'core/cli/main.ts',
    holds: 'the entry: it hands the process to the command line',
    mayNot: 'hold logic',
    mayImport: ['core/cli'],
    world: ['process'],
  },
  {
    folder: 'core/index.ts',
    holds: 'the public interface of the library',
    mayNot: 'hold logic, or import the command line',
    mayImport: [...PARTS, 'core/lint', 'core/report', 'core/github', 'core/change', 'core/runner', 'core/io'],
  },
  {
    folder: 'action',
    holds: 'the GitHub Action: inputs, events, what binds a pull request, the verdict, and the sinks that tell it',
    mayNot: 'reach into the core past its index, import the bot, or touch the process: it gets the world from main.ts',
    mayImport: ['core/index.ts'],
  },
  {
    folder: 'action/io',
    holds: "the Action's impure corner: the runner's files and log, git, GitHub's API, the artifact service",
    mayNot: 'decide anything: it implements the ports that action declares',
    mayImport: ['core/index.ts', 'action'],
    packages: ['@actions/core', '@actions/github', '@actions/http-client', 'undici'],
    world: '*',
  },
  {
    folder: 'action/main.ts',
    holds: 'the entry: it hands the process to the Action, and is the one try and catch around it',
    mayNot: 'hold logic',
    mayImport: ['core/index.ts', 'action', 'action/io'],
    world: ['process'],
  },
  {
    folder: 'bot',
    holds:
      'the Probot app: what a webhook asks for, what a job finds, judges and tells, and how work is queued and tried again',
    mayNot:
      'reach into the core past its index, import the Action, or touch the process: it gets the world from main.ts',
    mayImport: ['core/index.ts'],
  },
  {
    folder: 'bot/io',
    holds:
      "the bot's impure corner: the server, Probot, GitHub's API, the queue in memory and on Redis, the log, the metrics",
    mayNot: 'decide anything: it implements the ports that bot declares',
    mayImport: ['core/index.ts', 'bot'],
    packages: ['probot', 'bullmq', 'ioredis', 'pino', 'prom-client', 'smee-client', 'yauzl'],
    world: '*',
  },
  {
    folder: 'bot/index.ts',
    holds: 'the public interface of the bot within a server of someone else',
    mayNot: 'hold logic',
    mayImport: ['bot', 'bot/io'],
  },
  {
    folder: 'bot/main.ts',
    holds: 'the entry: it hands the process to the bot',
    mayNot: 'hold logic',
    mayImport: ['core/index.ts', 'bot', 'bot/io'],
    world: ['process'],
  },
];

/** The folders that the check covers. */
export const CHECKED = ['core', 'action', 'bot'];

/** The layer of a file, by the longest folder that holds it; undefined when no row of the table does. */
export function layerOf(/** @type {string} */ file) {
  const inside = (/** @type {Layer} */ layer) => file === layer.folder || file.startsWith(`${layer.folder}/`);
  return LAYERS.filter(inside).sort((a, b) => b.folder.length - a.folder.length)[0];
}

/** The table as Markdown, for docs/architecture.md. */
export function layersAsMarkdown() {
  const rows = LAYERS.map((layer) => {
    const imports = layer.mayImport.map((name) => `\`${name}\``).join(' ') || 'nothing';
    return `| \`${layer.folder}\` | ${layer.holds} | ${layer.mayNot} | ${imports} |`;
  });
  return ['| where | holds | may not | may import |', '|---|---|---|---|', ...rows].join('\n');
}
