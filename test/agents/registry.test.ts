import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAgentsConfig } from '../../core/agents/parse-agents-config.js';
import { openAgents } from '../../core/agents/registry.js';
import { startAgentProcess } from '../../core/io/agent-process.js';
import { httpClient } from '../../core/io/http-client.js';
import { serviceStarter } from '../../core/io/service-process.js';

const world = {
  start: startAgentProcess,
  http: httpClient,
  services: serviceStarter({ logs: join(tmpdir(), 'never-written') }),
  environment: new Map([['PATH', process.env['PATH'] ?? '']]),
};
const openText = (text: string) =>
  openAgents(
    parseAgentsConfig(Buffer.from(text), { file: join(import.meta.dirname, 'modules', 'agents.yaml') }),
    world,
  );

describe('openAgents', () => {
  it('returns the agents by id, and a service that cannot be reached with the reason', async () => {
    const registry = await openText(
      'agents: [{module: hostile.js}, {module: grounded.js}, {url: "http://127.0.0.1:1", name: far}]',
    );
    try {
      expect([...registry.agents.keys()].sort()).toEqual(['test.grounded', 'test.subject']);
      expect(registry.unavailable).toEqual([
        { label: 'far', address: 'http://127.0.0.1:1', reason: expect.stringContaining('ECONNREFUSED') },
      ]);
    } finally {
      await registry.close();
    }
  });

  it.each([
    [
      'two entries lead to one id',
      'agents:\n  - {module: hostile.js}\n  - {module: ./hostile.js}',
      'agent-duplicate',
      3,
    ],
    ['a module exports no agent', 'agents:\n  - {module: grounded.js}\n  - {module: no-export.js}', 'agent-module', 3],
    ['an agent declares no mode', 'agents: [{module: no-mode.js}]', 'agent-specification', 1],
    ['a named variable is unset', 'agents: [{module: grounded.js, env: [NOT_SET_ANYWHERE]}]', 'agent-environment', 1],
  ])('rejects with the place when %s', async (_, text, code, line) => {
    await expect(openText(text)).rejects.toMatchObject({ code, blame: 'configuration', place: { line } });
  });
});
