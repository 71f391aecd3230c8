// Builds the command line, the library, the agent library, the bot and the child entries into build/.
// Run by `prepare`, by `npm run build` and by vitest's global set-up, so that a test never meets an old build.
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Output name to source file; children are started by path and looked up beside the running bundle. */
const ENTRIES = {
  cli: 'core/cli/main.ts',
  index: 'core/index.ts',
  agent: 'core/agents/delegate/index.ts',
  bot: 'bot/main.ts',
  'bot-middleware': 'bot/index.ts',
  'agent-host': 'core/io/agent-host.ts',
  'schema-worker': 'core/io/schema-worker.ts',
  'service-host': 'core/io/service-host.ts',
  'reverify-worker': 'core/io/reverify-worker.ts',
  'tree-thread': 'core/io/tree-thread.ts',
};

/**
 * Chunks are written before the entries that name them, and every file appears whole, so that a program started
 * during a build meets the old one or the new one. `clean` then drops chunks of earlier builds; tests leave them,
 * since another test run may be using them.
 */
export async function buildAll({ clean = false } = {}) {
  const outdir = join(root, 'build');
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(root, file)])),
    outdir,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    // For development alone; the bot says what to install.
    external: ['smee-client'],
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  const chunks = join(outdir, 'chunks');
  mkdirSync(chunks, { recursive: true });
  const isChunk = (file) => dirname(file.path) === chunks;
  for (const file of [...outputFiles.filter(isChunk), ...outputFiles.filter((file) => !isChunk(file))]) place(file);
  place({ path: join(outdir, 'licences.txt'), contents: licences(root, Object.keys(metafile.inputs)) });
  // What npm links to as a command; it would mend the mode at an installation alone.
  chmodSync(join(outdir, 'cli.js'), 0o755);
  if (!clean) return;
  const current = new Set(outputFiles.map(({ path }) => path));
  for (const name of readdirSync(chunks)) if (!current.has(join(chunks, name))) rmSync(join(chunks, name));
}

function place({ path, contents }) {
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildAll({ clean: true });
