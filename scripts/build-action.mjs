// Builds the Action into dist/, which is committed: one file an entry, minified, with the licences of what is in it beside it.
// Run by `npm run action`; `--check` builds in memory, compares, and fails when dist/ is not what the sources give.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** The entry that action.yml names, and the programs that it starts, which it finds beside itself (core/io/entry.ts). */
const ENTRIES = {
  index: 'action/main.ts',
  'agent-host': 'core/io/agent-host.ts',
  'schema-worker': 'core/io/schema-worker.ts',
  'service-host': 'core/io/service-host.ts',
  'reverify-worker': 'core/io/reverify-worker.ts',
};

/** All of dist/ together; GitHub fetches it for every job. */
const MOST_BYTES = 3_000_000;

/**
 * Every file of dist/ by its name.
 * @returns {Promise<ReadonlyMap<string, Buffer>>}
 */
export async function actionFiles() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(root, file)])),
    outdir: dist,
    bundle: true,
    splitting: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    charset: 'utf8',
    alias: {
      depd: join(root, 'scripts/shims/depd.cjs'),
      'iconv-lite': join(root, 'scripts/shims/iconv-lite.cjs'),
      undici: join(root, 'scripts/shims/undici.cjs'),
      qs: join(root, 'scripts/shims/qs.cjs'),
      'mime-db': join(root, 'scripts/shims/mime-db.cjs'),
      '@octokit/plugin-rest-endpoint-methods': join(root, 'scripts/shims/rest-endpoint-methods.mjs'),
    },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    // Only `require`: a bundle that brings its own __filename would not start with a second one (docs/decisions/action-bundle.md).
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(dist.length + 1), Buffer.from(contents)]));
  files.set('licences.txt', Buffer.from(licences(root, Object.keys(metafile.inputs))));
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  if (bytes > MOST_BYTES)
    throw new Error(`dist/ would have ${bytes} bytes, more than the ${MOST_BYTES} that it may have`);
  return files;
}

async function main() {
  const files = await actionFiles();
  const there = existsSync(dist) ? readdirSync(dist) : [];
  const stale = [
    ...there.filter((name) => !files.has(name)),
    ...[...files]
      .filter(([name, bytes]) => !there.includes(name) || !readFileSync(join(dist, name)).equals(bytes))
      .map(([name]) => name),
  ];
  if (process.argv.includes('--check')) {
    for (const name of stale) console.error(`dist/${name} is not what the sources give; run npm run action`);
    if (stale.length > 0) process.exitCode = 1;
    return;
  }
  mkdirSync(dist, { recursive: true });
  for (const name of there) if (!files.has(name)) rmSync(join(dist, name));
  for (const [name, bytes] of files) writeFileSync(join(dist, name), bytes);
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  console.log(`dist/: ${files.size} files, ${(bytes / 1024 / 1024).toFixed(2)} MiB`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
