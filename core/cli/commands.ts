import { UNRESOLVED_POLICIES } from '../model/report.js';
import type { Command, Flag } from './command.js';
import { FAIL_ON } from './drift-options.js';
import { REPORT_FORMATS } from './report-format.js';

const PROFILE: Flag = { flags: '--profile <file>', means: 'policy profile (DD_PROFILE, profiles/default.yaml)' };
const SOURCES: Flag = { flags: '--sources <file>', means: 'pinned source copies (DD_SOURCES_CONFIG, sources.yaml)' };
const AGENTS: Flag = { flags: '--agents <file>', means: 'registered agents (DD_AGENTS_CONFIG, agents.yaml)' };
const RUNS: Flag = { flags: '--runs <folder>', means: 'where runs are kept (DD_RUNS_DIR, runs)' };
const OUTPUT: Flag = { flags: '--output <file>', means: 'write the result to a file instead of standard output' };
const FORMAT: Flag = { flags: '--format <format>', means: 'form of the result (text)', choices: ['text', 'json'] };
const REPORT_FORMAT: Flag = { ...FORMAT, choices: REPORT_FORMATS };
const PORT: Flag = { flags: '--port <port>', means: 'port to listen on (a free one)' };
const HOST: Flag = { flags: '--host <address>', means: 'address to listen on (127.0.0.1)' };
const UNRESOLVED: Flag = {
  flags: '--unresolved <policy>',
  means: 'evidence that no pinned copy covers: let it be, warn, or fail (warn)',
  choices: UNRESOLVED_POLICIES,
};

const PREVIOUS: Flag = { flags: '--previous <file>', means: 'earlier report in JSON, to say what changed since' };
const FAIL_ON_FLAG: Flag = {
  flags: '--fail-on <what>',
  means: 'fail for any failure, or only for new ones (any)',
  choices: FAIL_ON,
};

const SINCE: Flag = { flags: '--since <when>', means: 'only runs made since a date, a time, or so long ago (7d, 12h)' };
const ONLY_RUNS: Flag = { flags: '--only <glob>', means: 'only runs whose folder name matches' };
const JUDGING_JOBS: Flag = { flags: '--jobs <n>', means: 'threads that judge (the number of cores)' };

/** Every command of the command line, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'run',
    means: 'run agents over fixture requests, judge and store every run',
    positionals: [['[fixture...]', 'fixture files (fixtures/**/*.json)']],
    flags: [
      PROFILE,
      SOURCES,
      AGENTS,
      RUNS,
      UNRESOLVED,
      { flags: '--jobs <n>', means: 'runs at the same time (the number of cores)' },
      { flags: '--only <glob>', means: 'only fixtures whose path matches' },
      { flags: '--record <folder>', means: 'keep what each agent gave back, to be replayed' },
      { flags: '--replay <folder>', means: 'judge recordings again; calls no agent, needs an empty runs folder' },
      { flags: '--watch', means: 'stay, and run again what a change touches, until Ctrl-C' },
      { flags: '--fail-fast', means: 'start no further run after one that did not end as expected' },
      REPORT_FORMAT,
      OUTPUT,
    ],
    example: "grounding run --jobs 4 --only '**/standards/*.json'",
    load: () => import('./run.js'),
  },
  {
    name: 'invoke',
    means: 'run one request and print its envelope',
    positionals: [],
    flags: [
      { flags: '--agent <id>', means: 'agent to call' },
      { flags: '--input <file>', means: 'JSON file that holds the input object alone; - is standard input' },
      { flags: '--request <file>', means: 'JSON file that holds a whole request, instead of --agent and --input' },
      { flags: '--conversation <id>', means: 'conversation that the request belongs to' },
      { flags: '--project <id>', means: 'project of that conversation, when it starts' },
      PROFILE,
      SOURCES,
      AGENTS,
      RUNS,
      OUTPUT,
    ],
    example: 'grounding invoke --agent example.hello --input hello.json',
    load: () => import('./invoke.js'),
  },
  {
    name: 'lint',
    means: 'judge a stored trace and envelope by the grounding rules, offline',
    positionals: [
      ['<spans>', 'spans.jsonl of the run'],
      ['<envelope>', 'envelope.json of the run'],
    ],
    flags: [REPORT_FORMAT, OUTPUT],
    example: 'grounding lint runs/<id>/spans.jsonl runs/<id>/envelope.json',
    load: () => import('./lint.js'),
  },
  {
    name: 'trace',
    means: 'print the tree of a trace, what each span is taken for, and by which sign',
    positionals: [['<spans>', 'spans.jsonl of a run, or any file that lint takes']],
    flags: [{ ...FORMAT, choices: ['text', 'mermaid'] }, OUTPUT],
    example: 'grounding trace runs/<id>/spans.jsonl',
    load: () => import('./trace.js'),
  },
  {
    name: 'verify',
    means: "check an envelope's evidence against the pinned source copies, offline",
    positionals: [['<envelope>', 'envelope.json of the run']],
    flags: [SOURCES, UNRESOLVED, REPORT_FORMAT, OUTPUT],
    example: 'grounding verify runs/<id>/envelope.json --sources sources.yaml',
    load: () => import('./verify.js'),
  },
  {
    name: 'reverify',
    means: 'judge every stored run again, and test it for tampering',
    positionals: [['[runs]', 'folder of stored runs (DD_RUNS_DIR, runs)']],
    flags: [
      SOURCES,
      UNRESOLVED,
      SINCE,
      ONLY_RUNS,
      { flags: '--shard <i/n>', means: 'only part I of N; parts are disjoint and even' },
      JUDGING_JOBS,
      { flags: '--cache <file>', means: 'keep verdicts here, and judge only runs that changed; outside any checkout' },
      { flags: '--no-cache', means: 'judge every run, whatever --cache says' },
      { flags: '--cache-key <variable>', means: 'environment variable with a secret that seals the cache' },
      { flags: '--seal <file>', means: 'hold the archive against a seal' },
      { flags: '--tar <file>', means: 'read the runs out of a .tar.gz file; [runs] is the folder in it' },
      PREVIOUS,
      FAIL_ON_FLAG,
      REPORT_FORMAT,
      OUTPUT,
    ],
    example: 'grounding reverify runs --format json --output verdicts.jsonl',
    load: () => import('./reverify.js'),
  },
  {
    name: 'report',
    means: 'judge stored runs again and show them as pages for a browser',
    positionals: [['[runs]', 'folder of stored runs (DD_RUNS_DIR, runs)']],
    flags: [
      { flags: '--output <folder>', means: 'folder of the report; an earlier report there is replaced' },
      SOURCES,
      UNRESOLVED,
      SINCE,
      ONLY_RUNS,
      JUDGING_JOBS,
      { flags: '--link-files', means: "lead to the runs folder for each run's files instead of copying them" },
      { flags: '--agents <file>', means: 'ask these agents how they say their values are made' },
    ],
    example: 'grounding report runs --output report',
    load: () => import('./report.js'),
  },
  {
    name: 'merge',
    means: 'make one report of the reports of all shards of `reverify`',
    positionals: [['<file...>', 'reports in JSON, each with its .meta.json beside it']],
    flags: [PREVIOUS, FAIL_ON_FLAG, UNRESOLVED, RUNS, REPORT_FORMAT, OUTPUT],
    example: 'grounding merge shard-1.jsonl shard-2.jsonl --previous last.jsonl --fail-on new',
    load: () => import('./merge.js'),
  },
  {
    name: 'seal',
    means: 'write down what every file of an archive is, as a statement to be signed',
    positionals: [['[runs]', 'folder of stored runs (DD_RUNS_DIR, runs)']],
    flags: [OUTPUT],
    example: 'grounding seal runs --output seal.json',
    load: () => import('./seal.js'),
  },
  {
    name: 'hash',
    means: 'hash JSON files under a canonicalisation',
    positionals: [['<file...>', 'JSON files; - is standard input']],
    flags: [
      { flags: '--as <name>', means: 'canonicalisation to hash under' },
      { flags: '--bytes', means: 'print the canonical bytes instead of the hash' },
      OUTPUT,
    ],
    example: 'grounding hash --as dd-json-document-v1 record.json',
    load: () => import('./hash.js'),
  },
  {
    name: 'pin',
    means: 'add a source copy to sources.yaml, or renew its pin',
    positionals: [['<file>', 'JSON Lines file, or one JSON array of objects']],
    flags: [
      { flags: '--ref <ref>', means: 'snapshot_ref that the copy serves' },
      { flags: '--id-field <key>', means: "member that holds each record's id" },
      SOURCES,
    ],
    example: 'grounding pin data/records.jsonl --ref records-2026-11 --id-field record_id',
    load: () => import('./pin.js'),
  },
  {
    name: 'agents',
    means: 'list the registered agents, and say why others are unavailable',
    positionals: [],
    flags: [AGENTS, FORMAT, OUTPUT],
    example: 'grounding agents --agents agents.yaml',
    load: () => import('./agents.js'),
  },
  {
    name: 'serve',
    means: 'take requests over A2A, and be the endpoint that agents delegate through',
    positionals: [],
    flags: [PROFILE, SOURCES, AGENTS, RUNS, PORT, HOST],
    example: 'grounding serve --port 9000',
    load: () => import('./serve.js'),
  },
  {
    name: 'project',
    means: 'make a project or give it facts, show it, accept a proposed version of a document',
    positionals: [
      ['<what>', 'init, show or accept'],
      ['<id>', 'id of the project'],
      ['[version]', 'id of the version that is accepted'],
    ],
    flags: [
      { flags: '--inventory <file>', means: 'JSON file with what the project holds (init)' },
      {
        flags: '--requirements <repository=file>',
        means: 'JSON file with what a repository requires (init)',
        repeats: true,
      },
      { flags: '--repository <name>', means: 'repository that was chosen (init)' },
      RUNS,
      FORMAT,
      OUTPUT,
    ],
    example: 'grounding project init birds --inventory inventory.json --repository zenodo',
    load: () => import('./project.js'),
  },
  {
    name: 'serve-agent',
    means: 'serve one agent over A2A, so that a workbench can call it',
    positionals: [['<module>', 'module that exports the agent']],
    flags: [
      PORT,
      HOST,
      { flags: '--harness <origin>', means: 'harness elsewhere that the agent may delegate through', repeats: true },
    ],
    example: 'grounding serve-agent examples/agents/hello.js --port 9001',
    load: () => import('./serve-agent.js'),
  },
  {
    name: 'init',
    means: 'write a starter set: agents, profile, sources, fixtures, workflow; overwrites nothing',
    positionals: [],
    flags: [
      { flags: '--module <file>', means: 'module that exports an agent', repeats: true },
      { flags: '--url <address>', means: 'address of an agent that is a service', repeats: true },
      { flags: '--copy <file>', means: 'copy of a source to pin' },
      { flags: '--ref <ref>', means: 'snapshot_ref that the copy serves' },
      { flags: '--id-field <key>', means: "member that holds each record's id" },
      { flags: '--no-workflow', means: 'write no workflow for pull requests' },
      { flags: '--yes', means: 'ask nothing' },
      PROFILE,
      SOURCES,
      AGENTS,
      RUNS,
    ],
    example: 'grounding init --module my-agent.mjs',
    load: () => import('./init.js'),
  },
  {
    name: 'doctor',
    means: 'find what would make the gate blind or red, and how to mend it',
    positionals: [['[fixture...]', 'fixture files or folders (fixtures)']],
    flags: [
      PROFILE,
      SOURCES,
      AGENTS,
      RUNS,
      { flags: '--recordings <folder>', means: 'recordings to hold against the fixtures (recordings)' },
      FORMAT,
      OUTPUT,
    ],
    example: 'grounding doctor --format json',
    load: () => import('./doctor.js'),
  },
  {
    name: 'explain',
    means: 'say what a rule, a grounding mode or an error code means; without a topic, list them',
    positionals: [['[topic]', 'a rule id such as G2, a mode such as retrieval, or a code such as config-missing']],
    flags: [OUTPUT],
    example: 'grounding explain G2',
    load: () => import('./explain.js'),
  },
];
