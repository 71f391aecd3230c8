import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openModuleAgent } from '../../core/agents/module-agent.js';
import { startAgentProcess } from '../../core/io/agent-process.js';
import { callOf } from './call.js';

const root = join(import.meta.dirname, '..', '..');
// Beside the build, so that the module finds the library by the package's own name.
const module = join(root, 'build', `documented-agent-${process.pid}.mjs`);

afterAll(() => unlinkSync(module));

it('runs the agent that docs/agents.md shows, and keeps the numbers of its records', async () => {
  const [, code] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs', 'agents.md'), 'utf8')) ?? [];
  writeFileSync(module, code ?? '');
  const environment = new Map([['PATH', process.env['PATH'] ?? '']]);
  const agent = await openModuleAgent({
    module,
    label: 'documented',
    environment,
    timeoutMs: 20_000,
    start: startAgentProcess,
  });
  try {
    const found = await agent.invoke(callOf({ schema_class: 'Message', message_text: 'rec:1' }));
    expect(found.result.locate('/evidence/0/content/price')?.lexeme()).toBe('1.0');
    const missing = await agent.invoke(callOf({ schema_class: 'Message', message_text: 'rec:9' }));
    expect(missing.result.locate('/outcome/reason_code')?.string()).toBe('no_qualifying_resource');
  } finally {
    await agent.close();
  }
});
