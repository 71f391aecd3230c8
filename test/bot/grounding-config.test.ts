import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { CONFIG_KEYS, parseGroundingConfig } from '../../bot/config/grounding-config.js';
import { GateError } from '../../core/index.js';

const schema = JSON.parse(readFileSync(new URL('../../schemas/grounding-config.schema.json', import.meta.url), 'utf8'));
const isValid = new Ajv({ strict: false }).compile(schema);

function parse(text: string) {
  try {
    return parseGroundingConfig(Buffer.from(text));
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
}

test('knows the keys of the schema, and the defaults that it states', () => {
  expect(Object.keys(schema.properties).sort()).toEqual([...CONFIG_KEYS].sort());
  const stated = (key: string) => schema.properties[key].default;
  expect(parse('{}')).toEqual({
    workflow: null,
    artifact: stated('artifact'),
    runsPath: stated('runs_path'),
    runs: stated('runs'),
    paths: null,
    profile: stated('profile'),
    sources: stated('sources'),
    agents: stated('agents'),
    fixtures: stated('fixtures'),
    unresolved: stated('unresolved'),
    comment: stated('comment'),
    deadlineMinutes: stated('deadline_minutes'),
    reverify: stated('reverify'),
  });
});

test.each([
  '{}',
  'workflow: grounding.yml\nartifact: grounding-*\nruns: all\n',
  'paths: ["agents/**", "fixtures/**"]\nfixtures: [fixtures, more/one.json]\n',
  'unresolved: fail\ncomment: never\nreverify: nightly\ndeadline_minutes: 1440\n',
  'runs_path: archive/runs\nprofile: policy/p.yaml\nsources: s.yaml\n',
])('reads what the schema takes: %s', (text) => {
  expect(isValid(load(text))).toBe(true);
  expect(parse(text)).not.toBeInstanceOf(GateError);
});

test.each<[string, string, number]>([
  ['an unknown key', 'comment: always\npath: ["a"]\n', 2],
  ['a choice that is none', 'comment: always\nruns: some\n', 2],
  ['an empty list of paths', '\npaths: []\n', 2],
  ['a path that leads out', 'runs_path: ../runs\n', 1],
  ['an absolute path', 'sources: /etc/sources.yaml\n', 1],
  ['a number for a name', 'workflow: 12\n', 1],
  ['a deadline of no time', 'deadline_minutes: 0\n', 1],
  ['a deadline of more than a day', 'deadline_minutes: 1441\n', 1],
  ['a list', '- a\n', 1],
])('refuses what the schema refuses, with its line: %s', (_, text, line) => {
  expect(isValid(load(text))).toBe(false);
  expect(parse(text)).toMatchObject({ blame: 'configuration', place: { file: '.github/grounding.yml', line } });
});

test('names every fault at once', () => {
  const error = parse('runs: some\nreverify: daily\n');
  expect(error instanceof GateError ? error.message : '').toMatch(/runs.*line 2.*reverify/s);
});

test.each(['', '# nothing\n', 'comment: always\ncomment: never\n', 'comment: [\n'])(
  'refuses what is no document: %j',
  (text) => {
    expect(parse(text)).toBeInstanceOf(GateError);
  },
);
