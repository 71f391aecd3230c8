import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, deadUrl, listen } from './loopback.js';
import { type ExampleRun, openWorkbench, root, type Workbench } from './workbench.js';

const POOR = {
  schema_class: 'MetadataRecord',
  title: 'Bird counts',
  identifier: 'my-data',
  description: 'Birds.',
  license: 'mine',
  publication_date: 'May',
};
const RULES = [
  'identifier-not-persistent',
  'description-short',
  'creators-missing',
  'licence-unknown',
  'keywords-few',
  'date-malformed',
];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Finding {
  readonly rule: string;
  readonly wording: string;
  readonly wording_derivation: string;
}

let modelless: Workbench;
beforeAll(async () => {
  modelless = await openWorkbench();
});
afterAll(() => modelless.close());

/** One run, without a model unless one is named. */
async function review(input: Record<string, string | string[]>, modelUrl?: string): Promise<ExampleRun> {
  if (modelUrl === undefined) return modelless.run('advisor.quality', input);
  const workbench = await openWorkbench({
    agents: join(root, 'examples/agents-live.yaml'),
    environment: { FAIRSHARING_URL: 'x', QUALITY_MODEL_URL: modelUrl },
  });
  cleanups.push(() => workbench.close());
  return workbench.run('advisor.quality', input);
}

async function model(answer: Answer): Promise<{ url: string; asked: { path: string; body: string }[] }> {
  const server = await listen(answer);
  cleanups.push(server.close);
  return server;
}

const completion = (content: unknown): { status: number; body: unknown } => ({
  status: 200,
  body: {
    model: 'worder-7b',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: typeof content === 'string' ? content : JSON.stringify(content) },
      },
    ],
    usage: { prompt_tokens: 211, completion_tokens: 40, total_tokens: 251 },
  },
});

const findings = ({ plain }: ExampleRun): Finding[] => (plain.payload?.['findings'] ?? []) as Finding[];
const chats = ({ spans }: ExampleRun): ExampleRun['spans'] => spans.filter(({ name }) => name === 'chat');

describe('advisor.quality', () => {
  it('finds what the rules find, in their own words, without a model', async () => {
    const run = await review(POOR);
    expect(findings(run).map(({ rule }) => rule)).toEqual(RULES);
    expect(findings(run).every(({ wording_derivation }) => wording_derivation === 'template')).toBe(true);
    expect(run.grounding).toMatchObject({ passed: true, mode: 'input_only', retrievals: 0, chats: 0 });
  });

  it.each<[string, Record<string, string | string[]>, string[]]>([
    [
      'names nothing',
      { title: ' ' },
      [
        'identifier-missing',
        'title-missing',
        'description-missing',
        'creators-missing',
        'licence-missing',
        'keywords-few',
      ],
    ],
    [
      'has a DOI and a Creative Commons address',
      {
        identifier: '10.5072/x',
        title: 't',
        description: 'd'.repeat(40),
        creators: ['c'],
        license: 'https://creativecommons.org/licenses/by/4.0/',
        keywords: ['a', 'b', 'c'],
      },
      [],
    ],
    [
      'has blank creators and keywords',
      {
        identifier: 'doi:10.5072/x',
        title: 't',
        description: 'd'.repeat(40),
        creators: [' '],
        license: 'CC0-1.0',
        keywords: ['a', 'b', ' '],
      },
      ['creators-missing', 'keywords-few'],
    ],
  ])('finds the right things in a record that %s', async (_, record, rules) => {
    expect(findings(await review({ schema_class: 'MetadataRecord', ...record })).map(({ rule }) => rule)).toEqual(
      rules,
    );
  });
});

describe('advisor.quality with QUALITY_MODEL_URL', () => {
  it('takes the wording from the model, in one chat span, with its tokens', async () => {
    const server = await model(() => completion(Object.fromEntries(RULES.map((rule) => [rule, `Reworded ${rule}.`]))));
    const run = await review(POOR, `${server.url}/v1/`);
    expect(findings(run).map(({ rule, wording, wording_derivation }) => [rule, wording, wording_derivation])).toEqual(
      RULES.map((rule) => [rule, `Reworded ${rule}.`, 'model']),
    );
    expect(server.asked.map(({ path }) => path)).toEqual(['/v1/chat/completions']);
    expect(chats(run).map(({ attributes }) => attributes)).toEqual([
      { 'dd.operation': 'chat', 'dd.model_id': 'worder-7b', 'dd.input_tokens': 211, 'dd.output_tokens': 40 },
    ]);
    expect(run.plain.telemetry).toMatchObject({ model_id: 'worder-7b', input_tokens: 211, output_tokens: 40 });
    expect(run.grounding).toMatchObject({ passed: true, chats: 1 });
  });

  it('never lets the model add a finding, or word one with anything but a sentence', async () => {
    const server = await model(() =>
      completion({
        'licence-unknown': 'Name the licence.',
        'data-wrong': 'The data are wrong.',
        'keywords-few': 7,
        'date-malformed': ' ',
        toString: 'x',
        'creators-missing': 'x'.repeat(501),
      }),
    );
    const run = await review(POOR, server.url);
    expect(findings(run).map(({ rule }) => rule)).toEqual(RULES);
    expect(
      findings(run)
        .filter(({ wording_derivation }) => wording_derivation === 'model')
        .map(({ rule }) => rule),
    ).toEqual(['licence-unknown']);
  });

  it('asks no model when there is nothing to word', async () => {
    const server = await model(() => completion({}));
    const good = {
      identifier: '10.5072/x',
      title: 't',
      description: 'd'.repeat(40),
      creators: ['c'],
      license: 'CC0-1.0',
      keywords: ['a', 'b', 'c'],
    };
    const run = await review({ schema_class: 'MetadataRecord', ...good }, server.url);
    expect(findings(run)).toEqual([]);
    expect(server.asked).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['answers with an error', () => ({ status: 500, body: {} })],
    ['answers with no JSON', () => ({ status: 200, body: '<html>' })],
    ['words nothing', () => ({ status: 200, body: {} })],
    ['words in prose', () => completion('Here you are: …')],
    ['is endless', () => ({ status: 200, body: 'x'.repeat(2_000_000) })],
  ])('keeps its own words and says ERROR on the chat when the server %s', async (_, answer) => {
    const server = await model(answer);
    const run = await review(POOR, server.url);
    expect(findings(run).every(({ wording_derivation }) => wording_derivation === 'template')).toBe(true);
    expect(chats(run).map(({ status }) => status.status_code)).toEqual(['ERROR']);
    expect(run.grounding).toMatchObject({ passed: true, chats: 1 });
  });

  it('keeps its own words when nobody listens', async () => {
    const run = await review(POOR, await deadUrl());
    expect(findings(run).map(({ rule }) => rule)).toEqual(RULES);
    expect(run.plain.outcome.status).toBe('succeeded');
  });
});
