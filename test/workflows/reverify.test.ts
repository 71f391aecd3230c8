import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { DRIFT_MARKER } from '../../core/report/index.js';
import { scene } from '../github/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, '.github/workflows/reverify.yml');
const VECTORS = join(ROOT, 'test/vectors/stored-runs');

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const workflow = load(readFileSync(FILE, 'utf8')) as Workflow;

function stepOf(job: string, name: string): Step {
  const step = workflow.jobs[job]?.steps.find((one) => one.name === name);
  if (step?.run === undefined) throw new Error(`the job ${job} has no step ${name} with a script`);
  return step;
}

/** One runner: its temporary folder, its PATH as steps extend it, its checkout. */
class Runner {
  readonly temp = temporaryFolder({ 'github-path': '', 'github-output': '', 'summary.md': '' });
  readonly workspace = temporaryFolder();

  /** Runs a step's script as the runner does, with exactly the variables that the step names and the runner's own. */
  async run(
    step: Step,
    values: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly text: string }> {
    expect(Object.keys(step.env ?? {}).sort()).toEqual(
      Object.keys(values)
        .filter((name) => !name.startsWith('GITHUB_'))
        .sort(),
    );
    const added = readFileSync(join(this.temp, 'github-path'), 'utf8').trim().split('\n').reverse().join(':');
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
      cwd: this.workspace,
      env: {
        PATH: `${added}:${process.env['PATH']}`,
        HOME: this.temp,
        RUNNER_TEMP: this.temp,
        GITHUB_PATH: join(this.temp, 'github-path'),
        GITHUB_OUTPUT: join(this.temp, 'github-output'),
        GITHUB_STEP_SUMMARY: join(this.temp, 'summary.md'),
        ...values,
      },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (text += piece.toString()));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, text };
  }

  output(name: string): string | undefined {
    const lines = readFileSync(join(this.temp, 'github-output'), 'utf8').split('\n');
    return lines.findLast((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  /** Installs the gate of this tree by the workflow's own step. */
  async install(job: string): Promise<void> {
    const gate = join(this.temp, 'package');
    mkdirSync(gate);
    writeFileSync(
      join(gate, 'package.json'),
      JSON.stringify({ name: 'gate-under-test', version: '1.0.0', type: 'module', bin: { grounding: 'cli.js' } }),
    );
    writeFileSync(
      join(gate, 'cli.js'),
      `#!/usr/bin/env node\nawait import(${JSON.stringify(pathToFileURL(join(ROOT, 'build/cli.js')).href)});\n`,
      { mode: 0o755 },
    );
    expect(await this.run(stepOf(job, 'Install the gate'), { GATE: gate })).toMatchObject({ code: 0 });
  }
}

/** Copies of the vectors' archive, with the shard reports that the shard jobs upload. */
async function shardReports(
  shards: number,
  { change, tar = false }: { readonly change?: (runs: string) => void; readonly tar?: boolean } = {},
): Promise<string> {
  const runner = new Runner();
  for (const file of ['sources.yaml', 'snapshot.jsonl', 'sources.json', 'runs'])
    cpSync(join(VECTORS, file), join(runner.workspace, file), { recursive: true });
  change?.(join(runner.workspace, 'runs'));
  if (tar) {
    spawnSync('tar', ['-czf', 'runs.tar.gz', 'runs'], { cwd: runner.workspace });
    rmSync(join(runner.workspace, 'runs'), { recursive: true });
  }
  await runner.install('shard');
  for (let shard = 1; shard <= shards; shard++) {
    const ended = await runner.run(stepOf('shard', 'Judge this shard'), {
      RUNS: tar ? '' : 'runs',
      SOURCES: 'sources.yaml',
      TAR: tar ? 'runs.tar.gz' : '',
      SHARD: String(shard),
      SHARDS: String(shards),
    });
    expect(ended).toMatchObject({ code: 0 });
  }
  return join(runner.temp, 'shards');
}

async function reducer(shards: string): Promise<Runner> {
  const runner = new Runner();
  cpSync(shards, join(runner.temp, 'shards'), { recursive: true });
  await runner.install('reduce');
  return runner;
}

const merge = (runner: Runner, failOn = 'any') =>
  runner.run(stepOf('reduce', 'Merge the shards'), { RUNS: 'runs', FAIL_ON: failOn });

describe('.github/workflows/reverify.yml', () => {
  it('is a workflow that GitHub takes', async () => {
    // The parser imports JSON in a way that Node 20 refuses, and runs once it is bundled.
    const outfile = join(temporaryFolder(), 'parser.mjs');
    const contents = `import { parseWorkflow, NoOperationTraceWriter, convertWorkflowTemplate } from '@actions/workflow-parser';
      export async function check(content) {
        const parsed = parseWorkflow({ name: 'reverify.yml', content }, new NoOperationTraceWriter());
        const template = await convertWorkflowTemplate(parsed.context, parsed.value);
        return [...parsed.context.errors.getErrors(), ...(template.errors ?? [])].map((error) => error.message ?? error.Message);
      }`;
    await build({
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    const { check } = (await import(pathToFileURL(outfile).href)) as { check(content: string): Promise<string[]> };
    const content = readFileSync(FILE, 'utf8');
    expect(await check(content)).toEqual([]);
    expect(await check(content.replace('runs-on: ubuntu-latest', 'runs-at: ubuntu-latest'))).not.toEqual([]);
  });

  it('marks its issue as the app does', () => {
    expect(readFileSync(join(import.meta.dirname, '../../.github/workflows/reverify.yml'), 'utf8')).toContain(
      `MARKER: ${DRIFT_MARKER}\n`,
    );
  });

  it('puts no expression into a script', () => {
    const scripts = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts.length).toBeGreaterThan(6);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it.each([
    ['1', 0, '[1]'],
    ['3', 0, '[1,2,3]'],
    ['256', 0, undefined],
    ['0', 2, undefined],
    ['257', 2, undefined],
    ['4; rm -rf /', 2, undefined],
  ])('numbers %s shards', async (shards, code, list) => {
    const runner = new Runner();
    expect((await runner.run(stepOf('plan', 'Number the shards'), { SHARDS: shards })).code).toBe(code);
    if (list !== undefined) expect(runner.output('shards')).toBe(list);
    if (code !== 0) expect(runner.output('shards')).toBeUndefined();
  });

  it.each(['failure', 'cancelled', 'skipped'])('ends with 2 when a shard was a %s', async (result) => {
    const step = stepOf('reduce', 'Refuse what is not whole');
    expect((await new Runner().run(step, { RESULT: result })).code).toBe(2);
    expect((await new Runner().run(step, { RESULT: 'success' })).code).toBe(0);
  });

  it('ends with 2 in a shard that could not be judged', async () => {
    const runner = new Runner();
    await runner.install('shard');
    const ended = await runner.run(stepOf('shard', 'Judge this shard'), {
      RUNS: 'none',
      SOURCES: 'sources.yaml',
      TAR: '',
      SHARD: '1',
      SHARDS: '2',
    });
    expect(ended.code).toBe(2);
  });

  it('judges in shards, merges them, keeps one issue, and fails', async () => {
    const { server, repository, token } = await scene({ issues: 'write' });
    const values = {
      TOKEN: token,
      BOT: 'grounding[bot]',
      MARKER: DRIFT_MARKER,
      GITHUB_API_URL: server.url,
      GITHUB_REPOSITORY: 'octo/agents',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_RUN_ID: '7',
    };
    const runner = await reducer(await shardReports(3));
    expect(await merge(runner)).toMatchObject({ code: 0 });
    expect(runner.output('conclusion')).toBe('failed');
    expect(runner.output('bad')).toBe('171');
    expect(readFileSync(join(runner.temp, 'summary.md'), 'utf8')).toContain('failed');
    expect(readFileSync(join(runner.temp, 'report/last.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(260);

    // Somebody else's issue with the same label is nobody's business here.
    const mallory = repository.discussion.open({
      title: 'x',
      // Not even with the marker is a person's issue the app's.
      body: `${DRIFT_MARKER}\nmine`,
      user: repository.owner,
      app: undefined,
      labels: ['grounding-drift'],
    });
    const keep = (bad: string) => runner.run(stepOf('reduce', 'Keep one issue about it'), { ...values, BAD: bad });
    expect(await keep('171')).toMatchObject({ code: 0 });
    expect(await keep('171')).toMatchObject({ code: 0 });
    const ours = repository.discussion.issues.filter(({ title }) => title === 'Stored runs fail their checks');
    expect(ours).toHaveLength(1);
    expect(ours[0]?.body).toContain('260 runs: 89 passed, 168 failed, 3 tampered');
    expect(ours[0]?.body?.split('~~~~~~')).toHaveLength(3);
    expect(ours[0]?.body?.split('\n')[0]).toBe(DRIFT_MARKER);
    expect(mallory).toMatchObject({ body: `${DRIFT_MARKER}\nmine`, state: 'open' });
    expect(await keep('0')).toMatchObject({ code: 0 });
    expect(ours[0]?.state).toBe('closed');
    expect(mallory.state).toBe('open');

    // Where the app keeps the issue, the workflow keeps none.
    const app = server.state.account('another-app[bot]');
    const body = `${DRIFT_MARKER}\n\nits own`;
    const theirs = repository.discussion.open({ title: 'y', body, user: app, labels: ['grounding-drift'] });
    const kept = await keep('171');
    expect(kept).toMatchObject({ code: 0 });
    expect(kept.text).toContain(`#${theirs.number}`);
    expect(theirs).toMatchObject({ body, state: 'open' });
    expect(repository.discussion.issues).toHaveLength(3);

    expect((await runner.run(stepOf('reduce', 'Conclude'), { CONCLUSION: 'failed' })).code).toBe(1);
    expect((await runner.run(stepOf('reduce', 'Conclude'), { CONCLUSION: 'passed' })).code).toBe(0);

    // The next night: nothing new, and the earlier report says since when.
    writeFileSync(join(runner.temp, 'summary.md'), '');
    expect(await merge(runner, 'new')).toMatchObject({ code: 0 });
    expect(runner.output('conclusion')).toBe('passed');
    expect(readFileSync(join(runner.temp, 'report/summary.txt'), 'utf8')).toContain(
      '0 new failures, 0 healed, 171 failing still',
    );
    const told = readFileSync(join(runner.temp, 'summary.md'), 'utf8');
    expect(told).toContain('reverify: ✅ passed');
    expect(told).toContain('0 new failures, 0 healed, 171 failing still');
  }, 120_000);

  it('lets no name of a run command the log, close the fence of the issue, or mark up the summary', async () => {
    const { server, repository, token } = await scene({ issues: 'write' });
    const names = ['  ::error::x', '~~~~~~', '@octo <!-- x --> #1', '##[add-mask]x', '$(touch pwned)`touch pwned`'];
    const shards = await shardReports(1, {
      change(runs) {
        for (const name of names) {
          mkdirSync(join(runs, name));
          writeFileSync(join(runs, name, 'envelope.json'), '{');
        }
      },
    });
    const runner = await reducer(shards);
    const merged = await merge(runner);
    expect(merged.code).toBe(0);
    const kept = await runner.run(stepOf('reduce', 'Keep one issue about it'), {
      TOKEN: token,
      BOT: 'grounding[bot]',
      MARKER: DRIFT_MARKER,
      BAD: runner.output('bad') ?? '',
      GITHUB_API_URL: server.url,
      GITHUB_REPOSITORY: 'octo/agents',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_RUN_ID: '7',
    });
    const concluded = await runner.run(stepOf('reduce', 'Conclude'), { CONCLUSION: 'failed' });
    for (const { text } of [merged, kept, concluded])
      expect(text.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
    const issue = repository.discussion.issues.find(({ title }) => title === 'Stored runs fail their checks');
    const [before = '', fenced = '', after = ''] = issue?.body?.split('~~~~~~') ?? [];
    expect(`${before}${after}`).not.toMatch(/@octo|pwned|::/);
    expect(fenced.startsWith('text\n') && fenced.endsWith('\n')).toBe(true);
    expect(after.trim()).toBe('');
    expect(existsSync(join(runner.workspace, 'pwned'))).toBe(false);
    expect(readFileSync(join(runner.temp, 'github-output'), 'utf8')).toMatch(/^bad=176\nconclusion=failed\n$/m);
  }, 60_000);

  it('judges runs that are in a tarball, and refuses shards that are not whole', async () => {
    const shards = await shardReports(2, { tar: true });
    rmSync(join(shards, 'shard-2.jsonl'));
    const runner = await reducer(shards);
    const ended = await merge(runner);
    expect(ended.code).toBe(2);
    expect(ended.text).toContain('[shard-refused]');
    expect(existsSync(join(runner.temp, 'report/last.jsonl'))).toBe(false);
  }, 60_000);
});
