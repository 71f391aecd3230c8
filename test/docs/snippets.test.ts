import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import * as agent from '../../core/agents/delegate/index.js';
import * as library from '../../core/index.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** docs/rules.md is generated from examples that have a test of their own. */
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'rules.md')
    .map((name) => `docs/${name}`),
];
const SNIPPETS = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = ''], i) => ({
      name: `${page}, block ${i + 1}`,
      language,
      text,
    }),
  ),
);
const inLanguage = (language: string) => SNIPPETS.filter((snippet) => snippet.language === language);

const MODULES: Readonly<Record<string, object>> = { 'grounding-gate': library, 'grounding-gate/agent': agent };

/** The reader of what a snippet configures, by a key that only its kind has; a profile has `agents` as well. */
const READERS: readonly (readonly [
  key: string,
  read: (bytes: Uint8Array, options: { readonly file: string }) => unknown,
])[] = [
  ['profile_id', library.parseProfile],
  ['agents', library.parseAgentsConfig],
  ['sources', library.parseSourcesConfiguration],
];

test('knows the language of every block', () => {
  expect(
    [...new Set(SNIPPETS.map(({ language }) => language))].filter(
      (name) => !['js', 'ts', 'json', 'yaml', 'sh', 'python', 'dockerfile', 'text'].includes(name),
    ),
  ).toEqual([]);
});

describe.each(inLanguage('json'))('$name', ({ text }) => {
  test('is JSON that the strict reader reads', () => {
    expect(() => library.parseJson(Buffer.from(text), { file: 'snippet.json' })).not.toThrow();
  });
});

describe.each(inLanguage('yaml'))('$name', ({ text }) => {
  test('is YAML, and what it configures is accepted', () => {
    const document = load(text);
    const reader = READERS.find(
      ([key]) => typeof document === 'object' && document !== null && Object.hasOwn(document, key),
    );
    reader?.[1](Buffer.from(text), { file: 'snippet.yaml' });
  });
});

describe.each([...inLanguage('js'), ...inLanguage('ts')])('$name', ({ text, language }) => {
  test('is a module that imports only what there is', () => {
    const { errors, module } = parseSync(`snippet.${language}`, text.replaceAll('{ … }', '{}'));
    expect(errors).toEqual([]);
    for (const { moduleRequest, entries } of module.staticImports) {
      const exported = MODULES[moduleRequest.value];
      if (exported === undefined) continue;
      for (const { importName, isType } of entries)
        if (!isType) expect(Object.keys(exported)).toContain(importName.name);
    }
  });
});
