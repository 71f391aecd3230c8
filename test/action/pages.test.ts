import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeZlib } from '../../action/io/zlib.js';
import { readZip } from '../../action/zip.js';
import { readPage } from '../html/read-page.js';
import { fixture } from './project.js';
import { performPull, propose, type Stage, stage } from './stage.js';

const LIE = { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) };

test('writes pages beside the report and into the artifact, where they lead to the runs', async () => {
  const on = await stage({ private: true });
  const done = await performPull(on, propose(on, LIE), { inputs: { html: 'true' } });
  const files = filesOf(on);
  const overview = files.get('html/index.html') ?? '';
  expect(readFileSync(join(dirname(done.outputs['report'] ?? ''), 'html/index.html'), 'utf8')).toBe(overview);
  const run = done.report?.results.find((result) => result.fixture === 'fixtures/lie.json')?.invocation_id;
  const page = readPage(files.get(`html/runs/${run}.html`) ?? '');
  expect(page.all('h1')[0]?.text).toContain(run);
  expect(
    page.elements.filter(({ attributes }) => attributes.get('class') === 'rule').map(({ text }) => text),
  ).toContain('G2');
  expect(page.all('dd').map(({ text }) => text)).toContain('fixtures/lie.json');
  const links = page.all('a').flatMap(({ attributes }) => attributes.get('href') ?? []);
  const downloads = links.filter((href) => href.includes(`/${run}/`));
  expect(downloads).toContain(`../../runs/${run}/crate/ro-crate-metadata.json`);
  for (const href of downloads) expect([...files.keys()]).toContain(href.replace('../../', ''));
  expect([...files.keys()].filter((name) => name.startsWith('html/files/'))).toEqual([]);
});

test('keeps payload, input and principal out of the pages of a public repository', async () => {
  const on = await stage();
  await performPull(
    on,
    propose(on, { 'fixtures/secretive.json': fixture({ fetch: ['rec:2'], note: 'only-in-the-input' }) }),
    { inputs: { html: 'true' } },
  );
  const pages = [...filesOf(on)].filter(([name]) => name.startsWith('html/'));
  expect(pages.length).toBeGreaterThan(2);
  for (const [, text] of pages)
    for (const secret of ['only-in-the-input', 'acting_for', 'mona', '&quot;payload&quot;'])
      expect(text).not.toContain(secret);
});

test('copies the files of runs that are not in the artifact', async () => {
  const on = await stage({ private: true });
  const done = await performPull(on, propose(on, LIE), { inputs: { html: 'true', upload: 'none' } });
  const folder = join(dirname(done.outputs['report'] ?? ''), 'html');
  const run = done.report?.results[0]?.invocation_id;
  expect(existsSync(join(folder, `files/${run}/request.json`))).toBe(true);
});

test('writes none unless they are asked for, and changes no verdict by them', async () => {
  const on = await stage({ private: true });
  const pull = propose(on, LIE);
  const without = await performPull(on, pull);
  expect([...filesOf(on).keys()].filter((name) => name.startsWith('html/'))).toEqual([]);
  const done = await performPull(on, pull, { inputs: { html: 'true' } });
  expect([done.code, done.outputs['conclusion']]).toEqual([without.code, without.outputs['conclusion']]);
});

function filesOf({ repository }: Stage): ReadonlyMap<string, string> {
  const limits = { entries: 1000, entryBytes: 1 << 28, totalBytes: 1 << 28, wanted: () => true };
  const bytes = repository.actions.artifacts.at(-1)?.bytes ?? Buffer.alloc(0);
  return new Map(
    [...readZip(bytes, { limits, zlib: nodeZlib })].map(([name, one]) => [name, Buffer.from(one).toString()]),
  );
}
