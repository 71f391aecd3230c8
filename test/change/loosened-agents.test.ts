import { describe, expect, it } from 'vitest';
import { agentFindings } from '../../core/change/index.js';

const FILE = 'agents.yaml';

/** What is found, as `line: message`. */
function found(base: string | null, head: string | null): readonly string[] {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  return agentFindings({ base: bytes(base), head: bytes(head), file: FILE }).map(({ rule, level, place, message }) => {
    expect([rule, level, place.file]).toEqual(['registration-loosened', 'error', FILE]);
    return `${place.line}: ${message}`;
  });
}

/** One entry, a key a line from the second line on. */
const entry = (...keys: readonly string[]) =>
  `agents:\n  - module: a.mjs\n${keys.map((key) => `    ${key}\n`).join('')}`;
const MODELS = 'models: {openai: "https://a.example/v1"}';
const SERVICE = 'agents:\n  - url: http://127.0.0.1:9001\n    start: serve\n';

describe('a change to agents.yaml loosens it', () => {
  it.each([
    [
      'isolate to if-possible',
      entry('isolate: true'),
      entry('isolate: if-possible'),
      [/^3: .*true on the base, if-possible here/],
    ],
    ['isolate to false', entry('isolate: true'), entry('isolate: false'), [/^3: .*true on the base, false here/]],
    ['if-possible to nothing', entry('isolate: if-possible'), entry(), [/^2: .*if-possible on the base, false here/]],
    ['isolate of the file', `isolate: true\n${entry()}`, entry(), [/^2: .*true on the base, false here/]],
    ['isolate of one of the file', `isolate: true\n${entry()}`, `isolate: true\n${entry('isolate: false')}`, [/^4: /]],
    ['models', entry(MODELS), entry(), [/^2: .*models\.openai: https:\/\/a\.example\/v1 on the base, nothing here/]],
    ['an upstream', entry(MODELS), entry('models: {openai: "https://b.example"}'), [/^3: .*a\.example.*b\.example/]],
    [
      'one of two upstreams',
      entry('models: {openai: "https://a.example", anthropic: "https://b.example"}'),
      entry('models: {openai: "https://a.example"}'),
      [/^3: .*anthropic.*nothing here/],
    ],
    [
      'another way out of isolation',
      entry('isolate: true'),
      entry('isolate: true', MODELS),
      [/^4: .*nothing on the base, https:/],
    ],
    ['a snapshot', entry('sources: [x, y]'), entry('sources: [y]'), [/^3: .*"x" on the base/]],
    ['all snapshots', entry('sources: [x, y]'), entry(), [/^2: .*"x"/, /^2: .*"y"/]],
    ['several things at once', entry('isolate: true', 'sources: [x]'), entry(), [/^2: .*isolate/, /^2: .*sources/]],
    [
      'by whom a call is told apart',
      `${SERVICE}    ${MODELS}\n`,
      `${SERVICE}    models: {openai: "https://a.example/v1", traceparent: true}\n`,
      [/^4: .*traceparent/],
    ],
    [
      'an entry that goes',
      `${entry('isolate: true')}  - module: b.mjs\n`,
      'agents:\n  - module: b.mjs\n',
      [/^null: .*"a\.mjs".*isolate, is gone/],
    ],
    [
      'an entry under another name and another module',
      entry('isolate: true'),
      'agents:\n  - module: b.mjs\n',
      [/^null: .*is gone/],
    ],
    [
      'an entry that keeps its name and changes its module',
      entry('name: n', 'isolate: true'),
      'agents:\n  - module: b.mjs\n    name: n\n',
      [/^2: .*isolate/],
    ],
    [
      'a new entry, where all are isolated',
      `isolate: true\n${entry()}`,
      `isolate: true\n${entry()}  - {module: b.mjs, isolate: false}\n`,
      [/^4: .*"b\.mjs" is new/],
    ],
    ['the whole file', entry('isolate: true'), null, [/^null: .*is gone/]],
    ['the whole file, which cannot be read', entry('isolate: true'), 'agents: [', [/cannot be read/]],
    [
      'an alias of its kind',
      entry('isolate: true'),
      `${entry('isolate: true')}    isolate: false\n`,
      [/cannot be read/],
    ],
  ])('by %s', (_, base, head, expected) => {
    const messages = found(base, head);
    expect(messages).toHaveLength(expected.length);
    expected.forEach((pattern, at) => {
      expect(messages[at]).toMatch(pattern);
    });
  });
});

describe('a change to agents.yaml does not loosen it', () => {
  it.each([
    ['the same', entry('isolate: true', MODELS, 'sources: [x]'), entry('sources: [x]', MODELS, 'isolate: true')],
    ['nothing of it on the base', entry(), entry('isolate: if-possible', MODELS, 'sources: [x]')],
    ['more isolation', entry('isolate: if-possible'), entry('isolate: true')],
    ['isolation of the file in the place of the entry’s', entry('isolate: true'), `isolate: true\n${entry()}`],
    ['more snapshots', entry('sources: [x]'), entry('sources: [y, x]')],
    [
      'an upstream more, where it may go anywhere',
      entry(MODELS),
      entry('models: {openai: "https://a.example/v1", anthropic: "https://b.example"}'),
    ],
    ['a slash at the end of an address', entry(MODELS), entry('models: {openai: "https://a.example/v1/"}')],
    [
      'another order',
      `${entry('isolate: true')}  - module: b.mjs\n`,
      `agents:\n  - module: b.mjs\n  - module: a.mjs\n    isolate: true\n`,
    ],
    ['a module that moves', entry('isolate: true'), 'agents:\n  - module: b.mjs\n    isolate: true\n'],
    [
      'an entry that goes, to which nothing was held',
      `${entry('isolate: true')}  - module: b.mjs\n`,
      entry('isolate: true'),
    ],
    ['no base', null, entry()],
    ['a base that nobody can read', 'agents: [', entry()],
    ['a head that nobody can read, where nothing was held', entry(), 'agents: ['],
  ])('by %s', (_, base, head) => {
    expect(found(base, head)).toEqual([]);
  });
});
