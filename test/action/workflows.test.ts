import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PUBLISHED_ACTION } from '../../scripts/published.mjs';
import { ROOT } from './stage.js';

/** GitHub's own reader of actions and workflows. */
interface Parser {
  actionErrors(name: string, content: string): readonly string[];
  workflowErrors(name: string, content: string): readonly string[];
}

const SOURCE = `
import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
const messages = ({ context }) => context.errors.getErrors().map((error) => error.message);
export const actionErrors = (name, content) => messages(parseAction({ name, content }, new NoOperationTraceWriter()));
export const workflowErrors = (name, content) => messages(parseWorkflow({ name, content }, new NoOperationTraceWriter()));
`;

let parser: Parser;
const folder = mkdtempSync(join(tmpdir(), 'gg-workflows-'));

// The parser imports JSON as no Node does without a flag; bundled, it runs (dependencies P12).
beforeAll(async () => {
  const outfile = join(folder, 'parser.mjs');
  await build({
    stdin: { contents: SOURCE, resolveDir: ROOT },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  parser = await import(pathToFileURL(outfile).href);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORKFLOWS = ['.github/workflows', '.github/workflows/examples'].flatMap((path) =>
  readdirSync(join(ROOT, path))
    .filter((name) => name.endsWith('.yml'))
    .map((name) => `${path}/${name}`),
);

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('finds nothing wrong with action.yml, and would', () => {
  expect(parser.actionErrors('action.yml', read('action.yml'))).toEqual([]);
  const broken = read('action.yml').replace('node24', 'node99');
  expect(parser.actionErrors('broken.yml', broken).join()).toContain('node99');
});

test.each(WORKFLOWS)('finds nothing wrong with %s, and would', (path) => {
  expect(parser.workflowErrors(path, read(path))).toEqual([]);
  expect(parser.workflowErrors(`${path}.broken`, read(path).replace('runs-on', 'runs_on'))).not.toEqual([]);
});

test('shows on its page the very workflow that records', () => {
  const workflow = read('.github/workflows/examples/grounding-record.yml');
  expect(read('docs/action.md')).toContain(`\`\`\`yaml\n${workflow}\`\`\`\n`);
  expect(workflow).toContain('grounding run --runs "$RUNNER_TEMP/runs" --record recordings');
});

test('names the published Action in one way everywhere', () => {
  const pages = [...WORKFLOWS, 'README.md', 'docs/action.md', 'examples/README.md'].flatMap((path) => {
    try {
      return [...read(path).matchAll(/uses: *(\S*grounding-gate\S*)/g)].map(([, name]) => name);
    } catch {
      return [];
    }
  });
  expect(pages.length).toBeGreaterThanOrEqual(3);
  expect(new Set(pages)).toEqual(new Set([PUBLISHED_ACTION]));
});

test('gives no workflow more rights than it names, and none to check code of forks out with', () => {
  for (const path of WORKFLOWS) {
    const text = read(path);
    expect(text).toMatch(/^permissions:$/m);
    expect(text).not.toContain('pull_request_target');
    expect(text.split('actions/checkout').length).toBe(text.split('persist-credentials: false').length);
  }
});
