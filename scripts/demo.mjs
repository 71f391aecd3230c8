// `npm run demo`: the example agents over the example fixtures, every run judged and stored in runs/. It sets whom the
// runs are made for, and calls the built command line as anyone would; its exit code is the command's.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
await buildAll();

const { status } = spawnSync(
  process.execPath,
  [join(root, 'build', 'cli.js'), 'run', 'examples/fixtures', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      DD_PRINCIPAL_ID: process.env['DD_PRINCIPAL_ID'] ?? 'mailto:demo@example.org',
      DD_PRINCIPAL_NAME: process.env['DD_PRINCIPAL_NAME'] ?? 'Demo User',
    },
  },
);
process.exit(status ?? 2);
