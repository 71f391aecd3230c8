// @ts-check
// Starts a process of its own that outlives a plain kill, writes its id into `input.file`, and never answers.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

export default defineAgent({
  ...declared,
  agent_id: 'test.fork',
  run(_ctx, /** @type {{ file: string }} */ input) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    writeFileSync(input.file, `${child.pid} ${process.pid}`);
    return new Promise(() => {});
  },
});
