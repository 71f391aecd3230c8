import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** What the commands of a page need beside the examples: files, steps before, and what stands for a placeholder. */
interface Stage {
  readonly files?: Readonly<Record<string, string>>;
  readonly before?: readonly string[];
  readonly placeholders?: Readonly<Record<string, string>>;
}

const NEWEST_RUN = '$(ls runs | grep -- - | tail -n 1)';
const RUN_ONE = 'grounding run examples/fixtures/hello-words.json';

/** Every page with commands. The README's own are followed by scripts/check-package.mjs, in a folder that holds nothing else. */
const STAGES: Readonly<Record<string, Stage>> = {
  'archive.md': { files: { 'last.jsonl': '' }, before: [RUN_ONE] },
  'first-steps.md': { before: ['rm -r agents.yaml profiles && cp examples/agents/hello.js my-agent.mjs'] },
  'report.md': { before: [RUN_ONE] },
  'replay.md': { before: ['mkdir fixtures && cp examples/fixtures/hello-words.json fixtures'] },
  'services.md': {
    files: {
      'inventory.json': '[{"title": "Counts of breeding pairs"}]',
      'zenodo.json': '["a licence"]',
      'draft.json': '{"schema_class": "DraftRequest", "document_kind": "data_management_plan"}',
    },
    placeholders: { '<version>': NEWEST_RUN },
  },
  'sources.md': {
    files: { 'records.jsonl': '{"id": "rec:1", "title": "Tidal data at Cuxhaven"}\n', 'sources.yaml': 'sources: []\n' },
  },
  'witness.md': {},
};

const page = (name: string): string => readFileSync(join(ROOT, name === 'README.md' ? name : `docs/${name}`), 'utf8');
const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));

/** The lines that call the command line: those set off by four spaces, and those of a shell's block. */
function commandsOf(text: string): readonly string[] {
  const shell = [...text.matchAll(FENCE)].filter(([, language]) => language === 'sh').map(([, , block]) => block ?? '');
  const setOff = [...text.replaceAll(FENCE, '').matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line ?? '');
  return [...shell.flatMap((block) => block.split('\n')), ...setOff].filter((line) =>
    /^(?:npx )?grounding [a-z]/.test(line),
  );
}

function workshop(files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(tmpdir(), 'grounding-docs-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const name of ['examples', 'profiles', 'agents.yaml', 'sources.yaml'])
    cpSync(join(ROOT, name), join(home, name), { recursive: true });
  mkdirSync(join(home, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(ROOT, join(home, 'node_modules', 'grounding-gate'));
  // What example agents import.
  for (const name of ['minisearch', 'ai', '@ai-sdk'])
    symlinkSync(join(ROOT, 'node_modules', name), join(home, 'node_modules', name));
  const bin = join(home, 'node_modules', '.bin', 'grounding');
  writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'build', 'cli.js')}" "$@"\n`);
  chmodSync(bin, 0o755);
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

test('knows how to run the commands of every page, and no page that has none', () => {
  expect(pages.filter((name) => commandsOf(page(name)).length > 0).sort()).toEqual(Object.keys(STAGES).sort());
});

test.each(Object.entries(STAGES))('runs every command of %s as it stands there', (name, stage) => {
  const home = workshop(stage.files ?? {});
  for (const written of [...(stage.before ?? []), ...commandsOf(page(name))]) {
    const command = Object.entries(stage.placeholders ?? {}).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      written,
    );
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', command], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: {
        PATH: `${join(home, 'node_modules', '.bin')}:${process.env['PATH']}`,
        DD_PRINCIPAL_ID: 'mailto:docs@example.org',
        DD_PRINCIPAL_NAME: 'Docs',
      },
    });
    expect({ written, status, said: stdout + stderr }).toEqual({ written, status: 0, said: expect.anything() });
  }
});

test.each(['README.md', ...pages])('names in %s only commands and flags that there are', (name) => {
  const named = [...page(name).matchAll(/(?<=^ {4}|^|`)(?:npx )?grounding (?!run:|run`)([a-z][a-z-]*)([^`\n]*)/gm)];
  for (const [, command = '', rest = ''] of named) {
    const help = helpOf(command);
    for (const [flag] of rest.matchAll(/--[a-z][a-z-]*/g)) expect(help, `grounding ${command}${rest}`).toContain(flag);
  }
});

test.each(['README.md', ...pages])('links in %s to files that are there', (name) => {
  const folder = join(ROOT, name === 'README.md' ? '' : 'docs');
  const links = [
    ...page(name)
      .replaceAll(FENCE, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link]) => link ?? '');
  const broken = links.filter(
    (link) => !/^[a-z]+:|^#/.test(link) && !existsSync(join(folder, link.replace(/#.*/, ''))),
  );
  expect(broken).toEqual([]);
});

const helps = new Map<string, string>();
function helpOf(command: string): string {
  const known = helps.get(command);
  if (known !== undefined) return known;
  const help = execFileSync(process.execPath, [join(ROOT, 'build', 'cli.js'), command, '--help'], { encoding: 'utf8' });
  helps.set(command, help);
  return help;
}
