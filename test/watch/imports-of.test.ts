import { expect, test } from 'vitest';
import { importsOf } from '../../core/watch/index.js';

const of = (files: Readonly<Record<string, string>>, module = '/a/main.mjs') => {
  const found = importsOf(module, (path) => files[path] ?? null);
  return found === null ? null : [...found].sort();
};

test('returns the module and all that it imports, however it says so, without packages', () => {
  const files = {
    '/a/main.mjs':
      "import 'node:fs'; import x from 'package'; import { a } from './lib/a.js'; export * from '../b.js'; import d from './d.json' with { type: 'json' }; const l = () => import('./late.js?v=1');",
    '/a/lib/a.js': "import '../main.mjs'; import './c.js';",
    '/a/lib/c.js': '',
    '/b.js': "import '/abs.js'; import 'file:///url.js';",
    '/abs.js': '',
    '/url.js': '',
    '/a/late.js': '',
  };
  expect(of(files)).toEqual([
    '/a/d.json',
    '/a/late.js',
    '/a/lib/a.js',
    '/a/lib/c.js',
    '/a/main.mjs',
    '/abs.js',
    '/b.js',
    '/url.js',
  ]);
});

test.each([
  ['an import is worked out', "import('./' + name)"],
  ['an import is a template', 'import(`./${name}.js`)'],
  ['it requires', "const x = require('./x.cjs')"],
  ['it makes a require', 'const r = createRequire(import.meta.url)'],
  ['an import is mapped by package.json', "import '#inner'"],
  ['an imported file is missing', "import './none.js'"],
  ['it is no module', 'import { from'],
])('returns null when %s', (_what, source) => {
  expect(of({ '/a/main.mjs': source })).toBe(null);
});

test('ends on modules that import each other without end', () => {
  const many = (path: string): string => `import './${Number(/\d+/.exec(path)?.[0] ?? 0) + 1}.js'`;
  expect(importsOf('/0.js', many)).toBe(null);
});
