import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashOf, parseJson } from '../../core/json/index.js';
import { type Ended, grounding } from './grounding.js';
import { agentModule, BODIES, PRINCIPAL, workshop } from './workshop.js';

const INPUT = { 'input.json': '{"schema_class": "Note", "big": 12345678901234567890, "one": 1.0, "gone": null}' };

function invoke(folder: string, args: readonly string[]): Promise<Ended> {
  return grounding(['invoke', ...args], { cwd: folder, env: PRINCIPAL });
}

const documentHash = (text: string): string =>
  hashOf(parseJson(Buffer.from(text), { file: 'x' }), 'dd-envelope-json-v1');

test('prints the stored envelope, and keeps the numbers of the input', async () => {
  const folder = workshop(INPUT);
  const ended = await invoke(folder, ['--agent', 'test.honest', '--input', 'input.json', '--conversation', 'c-1']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const envelope = JSON.parse(ended.stdout);
  expect(envelope).toMatchObject({
    outcome: { status: 'succeeded' },
    conversation_id: 'c-1',
    acting_for: { principal_id: PRINCIPAL.DD_PRINCIPAL_ID },
  });
  const run = join(folder, 'runs', envelope.invocation_id);
  expect(documentHash(ended.stdout)).toBe(documentHash(readFileSync(join(run, 'envelope.json'), 'utf8')));
  const request = readFileSync(join(run, 'request.json'), 'utf8');
  expect(request).toContain('12345678901234567890');
  expect(request).toMatch(/"one": 1\.0\b/);
  expect(request).not.toContain('gone');
});

test.each([
  ['abstains', 0, 'abstained'],
  ['throws', 1, 'failed'],
  ['miscites', 1, 'failed'],
])('returns the code of the outcome when test.%s is called', async (agent, code, status) => {
  const ended = await invoke(workshop(INPUT), ['--agent', `test.${agent}`, '--input', 'input.json']);
  expect({ code: ended.code, status: JSON.parse(ended.stdout).outcome.status }).toEqual({ code, status });
});

test('takes a whole request', async () => {
  const id = '0193b0f0-0000-7000-8000-00000000000b';
  const request = {
    invocation_id: id,
    agent_id: 'test.honest',
    issued_at: '2026-11-30T10:00:00Z',
    input: { schema_class: 'Note' },
  };
  const folder = workshop({ 'request.json': JSON.stringify(request) });
  const ended = await invoke(folder, ['--request', 'request.json']);
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout).invocation_id).toBe(id);
  const again = await invoke(folder, ['--request', 'request.json']);
  expect(again).toMatchObject({ code: 2, stdout: '' });
  expect(again.stderr).toContain('[invocation-stored]');
});

const request = (more: object): string => JSON.stringify({ ...WHOLE, ...more });
const WHOLE = {
  invocation_id: '0193b0f0-0000-7000-8000-00000000000c',
  agent_id: 'test.honest',
  issued_at: '2026-11-30T10:00:00Z',
  input: { schema_class: 'Note' },
};

test.each([
  ['an unknown agent', {}, ['--agent', '__proto__', '--input', 'input.json'], 'agent-unknown'],
  ['no agent', {}, ['--input', 'input.json'], 'usage'],
  ['no input', {}, ['--agent', 'test.honest'], 'usage'],
  ['a request and its parts', { 'r.json': request({}) }, ['--request', 'r.json', '--agent', 'test.honest'], 'usage'],
  ['a request that is a list', { 'r.json': '[]' }, ['--request', 'r.json'], 'usage'],
  [
    'a request that names its parent',
    { 'r.json': request({ parent_invocation_id: '0193b0f0-0000-7000-8000-00000000000b' }) },
    ['--request', 'r.json'],
    'request-reserved',
  ],
  [
    'a request that names a project',
    { 'r.json': request({ project_id: 'p' }) },
    ['--request', 'r.json'],
    'request-reserved',
  ],
  [
    'a request that names whom it is for',
    { 'r.json': request({ acting_for: {} }) },
    ['--request', 'r.json'],
    'request-malformed',
  ],
  [
    'a whole request without its id',
    { 'r.json': request({ invocation_id: undefined }) },
    ['--request', 'r.json'],
    'request-malformed',
  ],
  [
    'a whole request without its time',
    { 'r.json': request({ issued_at: undefined }) },
    ['--request', 'r.json'],
    'request-malformed',
  ],
  [
    'a request with a bad id',
    { 'r.json': request({ invocation_id: '../x' }) },
    ['--request', 'r.json'],
    'request-malformed',
  ],
  [
    'an input that is no object',
    { 'input.json': '[]' },
    ['--agent', 'test.honest', '--input', 'input.json'],
    'request-malformed',
  ],
  [
    'a file that cannot be written',
    {},
    ['--agent', 'test.honest', '--input', 'input.json', '--output', 'missing/envelope.json'],
    'output-unwritable',
  ],
  [
    'an input with a key twice',
    { 'input.json': '{"a":1,"a":1}' },
    ['--agent', 'test.honest', '--input', 'input.json'],
    'json-duplicate-key',
  ],
])('returns 2 on one line and stores nothing for %s', async (_what, files, args, code) => {
  const folder = workshop({ ...INPUT, ...files });
  const ended = await invoke(folder, args);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(new RegExp(`^error: [^\n]+ \\[${code}\\]\n$`));
  const entries = readdirSync(folder).includes('runs') ? readdirSync(join(folder, 'runs')) : [];
  expect(entries.filter((name) => /^[0-9a-f]{8}-/.test(name))).toEqual([]);
});

test.each([
  ['a class that is no string', '{\n  "schema_class": 5}', 'input.json:2:19', 'request-malformed'],
  ['a list', '\n []', 'input.json:2:2', 'request-malformed'],
  ['text that goes on', '{"schema_class": "Note"}, "agent_id": "x"', 'input.json:1:25', 'json-trailing'],
])('names the line of the input that is %s', async (_what, text, where, code) => {
  const folder = workshop({ 'input.json': text });
  const ended = await invoke(folder, ['--agent', 'test.honest', '--input', 'input.json', '--conversation', 'c-1']);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(`error: ${where}: `);
  expect(ended.stderr).toContain(`[${code}]`);
  const piped = await grounding(['invoke', '--agent', 'test.honest', '--input', '-'], {
    cwd: folder,
    env: PRINCIPAL,
    input: text,
  });
  expect(piped.stderr).toContain(`error: ${where.replace('input.json', '<stdin>')}: `);
});

test('names no line of the input for what a flag says', async () => {
  const ended = await invoke(workshop(INPUT), ['--agent', 'test.none', '--input', 'input.json']);
  expect(ended.stderr).toMatch(/^error: no agent is called "test\.none"/);
});

/** A class whose `text` is a string. */
const TEXT_NOTE = "{ ...open('Note', []), properties: { schema_class: { enum: ['Note'] }, text: { type: 'string' } } }";

test.each([
  ['{\n  "schema_class": "Noted"}', 'input.json:2:19'],
  ['{"schema_class": "Note",\n "one": null,\n "text": 5}', 'input.json:3:10'],
])('notes where the input stands that the agent does not read: %j', async (text, where) => {
  const agent = agentModule('test.slow', BODIES.honest).replace("open('Note', [])", TEXT_NOTE);
  const folder = workshop({ 'input.json': text, 'slow.mjs': agent, 'agents.yaml': 'agents:\n  - module: slow.mjs\n' });
  const ended = await invoke(folder, ['--agent', 'test.slow', '--input', 'input.json']);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain(`note: ${where}: `);
});

test('returns 2 when nobody is named', async () => {
  const ended = await grounding(['invoke', '--agent', 'test.honest', '--input', 'input.json'], {
    cwd: workshop(INPUT),
  });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain('[principal-missing]');
});
