import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('cites the version and the licence of the package', () => {
  const { version, license } = JSON.parse(read('package.json')) as { version: string; license: string };
  expect(load(read('CITATION.cff'))).toMatchObject({
    'cff-version': '1.2.0',
    title: 'grounding-gate',
    version,
    license,
  });
});
