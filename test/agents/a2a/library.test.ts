import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** A program as an agent's author writes it, over the built package by its name. */
const PROGRAM = `
import { defineAgent, serveAgent } from 'grounding-gate/agent';
const agent = defineAgent({
  agent_id: 'author.own', version: '1.0.0', description: 'An author’s own.', action_class: 'converse',
  accepts: ['Message'], grounding_mode: 'none', payload: 'Reply',
  run: (ctx) => ctx.abstained({ statement: 's', reason_code: 'not_applicable' }),
});
const served = await serveAgent(agent, { port: 0 });
const card = await fetch(served.url + '/.well-known/agent-card.json').then((reply) => reply.json());
await served.close();
const gone = await fetch(served.url).then(() => false, () => true);
console.log(JSON.stringify({ name: card.name, required: card.capabilities.extensions[0].required, gone }));
await serveAgent({ ...agent, version: '1' }, { port: 0 }).catch((error) => console.log(error.code));
`;

describe('serveAgent of grounding-gate/agent', () => {
  it('serves until it is closed, lets the program end, and rejects an agent that declares something faulty', async () => {
    const args = ['--input-type=module', '--eval', PROGRAM];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 20_000 });
    expect(stderr).toBe('');
    const [served, refused] = stdout.trim().split('\n');
    expect(JSON.parse(served ?? '')).toEqual({ name: 'author.own', required: false, gone: true });
    expect(refused).toBe('agent-specification');
  });
});
