#!/usr/bin/env node
import { processWorld } from './process-world.js';
import { errorText, runCli } from './run-cli.js';

// By this signal, which any program of the same user may send, Node would let that program debug us: write our own spans, say.
process.on('SIGUSR1', () => {});
const { world, end } = processWorld(process);
process.on('uncaughtException', (error) => {
  // Node's own exit code for a crash is 1, which here means that a rule was broken.
  process.stderr.write(`${errorText(error, process.argv.includes('--debug'))}\n`);
  process.exit(2);
});
end(await runCli(world));
