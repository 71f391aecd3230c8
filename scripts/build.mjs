// Builds the command line, the library, the agent library and the two child entries into build/.
// Run by `prepare`, by `npm run build` and by vitest's global set-up, so that a test never meets an old build.
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Output name to source file; children are started by path and looked up beside the running bundle. */
const ENTRIES = {
  cli: 'core/cli/main.ts',
  index: 'core/index.ts',
  agent: 'core/agents/delegate/index.ts',
  'agent-host': 'core/io/agent-host.ts',
  'schema-worker': 'core/io/schema-worker.ts',
  'service-host': 'core/io/service-host.ts',
  'reverify-worker': 'core/io/reverify-worker.ts',
};

/** `clean` drops chunks of earlier builds; tests leave them, since another test run may be using them. */
export async function buildAll({ clean = false } = {}) {
  const entryPoints = Object.fromEntries(
    Object.entries(ENTRIES)
      .map(([name, file]) => [name, join(root, file)])
      .filter(([, file]) => existsSync(file)),
  );
  if (clean) rmSync(join(root, 'build', 'chunks'), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(root, 'build'),
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildAll({ clean: true });
