import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { INPUT_DEFAULTS, inputNames } from '../../action/inputs.js';
import { OUTPUTS } from '../../action/tell-runner.js';
import { ROOT } from './stage.js';

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string };
}

const text = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const file = load(text) as ActionFile;
const page = readFileSync(join(ROOT, 'docs', 'action.md'), 'utf8');

test('lists every input that the code reads, with its default, and no other', () => {
  expect(Object.keys(file.inputs)).toEqual(inputNames());
  for (const name of inputNames()) {
    const { description, default: value } = file.inputs[name] ?? { description: '', default: '' };
    expect(description.length).toBeGreaterThan(20);
    // Null stands for what only an expression of the workflow can say.
    if (INPUT_DEFAULTS[name] === null) expect(value).toMatch(/\$\{\{ .+ \}\}/);
    else expect(value).toBe(INPUT_DEFAULTS[name]);
  }
});

test('lists every output that the code sets, and no other', () => {
  expect(Object.keys(file.outputs)).toEqual([...OUTPUTS]);
});

test('runs the committed bundle on Node 24', () => {
  expect(file.runs).toEqual({ using: 'node24', main: 'dist/index.js' });
});

test('names an artifact after the job, its place in the matrix and its attempt', () => {
  for (const part of ['github.job', 'strategy.job-index', 'github.run_attempt'])
    expect(file.inputs['upload']?.default).toContain(part);
});

test('explains every input and output on the page of the Action', () => {
  for (const name of [...inputNames(), ...OUTPUTS]) expect(page).toContain(`\`${name}\``);
});
