import { describe, expect, it } from 'vitest';
import { agentEnvironment } from '../../core/agents/environment.js';
import { parseAgentsConfig } from '../../core/agents/parse-agents-config.js';
import { codeOf } from '../support/code-of.js';

const parse = (text: string) => parseAgentsConfig(Buffer.from(text), { file: 'conf/agents.yaml' });

describe('parseAgentsConfig', () => {
  it('returns entries with paths below the file and the default timeout', () => {
    const entries = parse(`agents:
  - module: agents/hello.js
  - {module: ../x.js, name: second, timeout_s: 5, env: [FAIRSHARING_URL]}
  - {url: "http://127.0.0.1:1", start: node server.js, cwd: services}
`);
    expect(entries).toMatchObject([
      { kind: 'module', module: 'conf/agents/hello.js', label: 'agents/hello.js', timeoutS: 60, env: [] },
      {
        kind: 'module',
        module: 'x.js',
        label: 'second',
        timeoutS: 5,
        env: [{ name: 'FAIRSHARING_URL', place: { line: 3, column: 57 } }],
      },
      { kind: 'service', url: 'http://127.0.0.1:1', start: 'node server.js', cwd: 'conf/services' },
    ]);
  });

  it.each([
    ['agents:\n  - name: a\n    modul: a.js', '"modul"', '"module"', 3],
    ['agents:\n  - ulr: http://127.0.0.1:1', '"ulr"', '"url"', 2],
    ['agents:\n  - {module: a.js, timout_s: 3}', '"timout_s"', '"timeout_s"', 2],
  ])('names one fault and the key that is meant: %j', (text, written, meant, line) => {
    const refusal = codeOf(() => parse(text));
    expect(refusal).toMatchObject({ code: 'config-unknown-key', file: 'conf/agents.yaml', line });
    expect(refusal.message.match(/"[a-z_]+"/g)).toEqual([written, meant]);
    expect(refusal.message).not.toContain('; line');
  });

  it.each([
    ['agents: []\nextra: 1', 'config-unknown-key', 2],
    ['agents:\n  - {module: a.js, url: x}', 'config-unknown-key', 2],
    ['agents:\n  - {module: a.js, start: x}', 'config-unknown-key', 2],
    ['agents:\n  - {name: a}', 'config-missing-key', 2],
    ['agents:\n  - {module: 1}', 'config-type', 2],
    ['agents:\n  - {module: a.js, timeout_s: 0}', 'config-value', 2],
    ['agents:\n  - {module: a.js, timeout_s: 2147484}', 'config-value', 2],
    ['agents:\n  - {url: "http://a", timeout_s: 3000000}', 'config-value', 2],
    ['agents:\n  - {module: a.js, timeout_s: 1.5}', 'config-type', 2],
    ['agents:\n  - {module: a.js, env: {A: b}}', 'config-type', 2],
    ['agents:\n  - a.js', 'config-type', 2],
    ['[]', 'config-type', 1],
  ])('throws with the place when the file is %j', (text, code, line) => {
    expect(() => parse(text)).toThrowError(
      expect.objectContaining({
        code,
        blame: 'configuration',
        place: expect.objectContaining({ file: 'conf/agents.yaml', line }),
      }),
    );
  });
});

describe('agentEnvironment', () => {
  const place = { file: 'agents.yaml', line: 1, column: 1 };
  const available = new Map(
    Object.entries({
      PATH: '/bin',
      HOME: '/h',
      LANG: 'C',
      MODEL_URL: 'u',
      EMPTY: '',
      GITHUB_TOKEN: 's',
      DD_RUNS_DIR: 'r',
      SECRET: 'x',
    }),
  );

  it('returns PATH, HOME, LANG and the named variables only', () => {
    const environment = agentEnvironment(
      ['MODEL_URL', 'EMPTY'].map((name) => ({ name, place })),
      available,
    );
    expect([...environment]).toEqual([
      ['PATH', '/bin'],
      ['HOME', '/h'],
      ['LANG', 'C'],
      ['MODEL_URL', 'u'],
      ['EMPTY', ''],
    ]);
  });

  it.each([
    'UNSET',
    'GITHUB_TOKEN',
    'ACTIONS_RUNTIME_TOKEN',
    'INPUT_TOKEN',
    'DD_RUNS_DIR',
    'github_token',
    'toString',
    '__proto__',
  ])('throws at the place of %s and names it', (name) => {
    expect(() => agentEnvironment([{ name, place }], available)).toThrowError(
      expect.objectContaining({
        code: 'agent-environment',
        blame: 'configuration',
        place,
        message: expect.stringContaining(name),
      }),
    );
  });
});

describe('models and isolate', () => {
  it('returns what an entry says, and what the file says where it says nothing', () => {
    const entries = parse(`isolate: if-possible
agents:
  - {module: a.js, models: {openai: "https://m.example/v1/"}, isolate: true}
  - {url: "http://127.0.0.1:1", start: x, models: {anthropic: "http://127.0.0.1:2", traceparent: true}}
  - {module: b.js, isolate: false}
  - {url: "http://far.example"}
`);
    expect(entries.map(({ models, isolation }) => [models, isolation])).toEqual([
      [{ upstreams: { openai: 'https://m.example/v1' }, traceparent: false }, 'required'],
      [{ upstreams: { anthropic: 'http://127.0.0.1:2' }, traceparent: true }, 'if-possible'],
      [null, null],
      [null, 'if-possible'],
    ]);
  });

  it.each([
    ['{module: a.js, models: {openai: "ftp://x"}}', 'config-value'],
    ['{module: a.js, models: {openai: "https://key@x"}}', 'config-value'],
    ['{module: a.js, models: {openai: "https://x?key=1"}}', 'config-value'],
    ['{module: a.js, models: {}}', 'config-missing-key'],
    ['{module: a.js, models: {openai: "https://x", mistral: "https://x"}}', 'config-unknown-key'],
    ['{module: a.js, models: x}', 'config-type'],
    ['{module: a.js, env: [OPENAI_BASE_URL], models: {openai: "https://x"}}', 'config-value'],
    ['{module: a.js, isolate: perhaps}', 'config-value'],
    ['{url: "http://x", isolate: true}', 'config-value'],
    ['{url: "http://x", models: {openai: "https://x"}}', 'config-value'],
  ])('throws when the entry is %s', (entry, code) => {
    expect(() => parse(`agents:\n  - ${entry}`)).toThrowError(
      expect.objectContaining({ code, blame: 'configuration' }),
    );
  });
});
