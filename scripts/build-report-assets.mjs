// Makes core/html/generated/assets.ts of core/html/client: the style of each kind of page and the overview's script,
// minified, as text that stands within the pages. `--check` fails when the file is not what the sources give.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const client = join(root, 'core/html/client');
const target = join(root, 'core/html/generated/assets.ts');

const ASSETS = [
  ['RUN_STYLE', 'run.css'],
  ['OVERVIEW_STYLE', 'overview.css'],
  ['OVERVIEW_SCRIPT', 'overview.ts'],
];

const texts = await Promise.all(
  ASSETS.map(async ([name = '', file = '']) => `export const ${name} = ${await textOf(file)};`),
);
const made = `// Made by scripts/build-report-assets.mjs from core/html/client; do not edit.\n${texts.join('\n')}\n`;
if (process.argv.includes('--check')) check();
else {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, made);
}

async function textOf(/** @type {string} */ file) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(client, file)],
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  return JSON.stringify((outputFiles[0]?.text ?? '').trim());
}

function check() {
  if (readFileSync(target, 'utf8') === made) return;
  console.error('core/html/generated/assets.ts is not what core/html/client gives; run npm run assets');
  process.exitCode = 1;
}
