import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { CLI, moduleOf } from './stage.js';

describe('isolation on a machine without namespaces', () => {
  const run = (isolate: string, args: readonly string[]) => {
    const folder = temporaryFolder({
      'agents.yaml': `agents:\n  - module: ${moduleOf('calls-models.js')}\n    isolate: ${isolate}\n`,
      'sources.yaml': 'sources: []\n',
      'profiles/default.yaml': 'profile_id: test\nversion: 1\nagents: {test.calls-models: test}\n',
      'fixtures/one.json': '{"agent_id": "test.calls-models", "input": {"schema_class": "Plan", "steps": "[]"}}',
      'bin/.keep': '',
    });
    symlinkSync(process.execPath, join(folder, 'bin/node'));
    return spawnSync(process.execPath, [CLI, ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: join(folder, 'bin'), DD_PRINCIPAL_ID: 'mailto:t@example.org', DD_PRINCIPAL_NAME: 'T' },
    });
  };

  it('refuses the agent with the reason when it has to be isolated', () => {
    const { status, stderr } = run('true', ['run']);
    expect(status).toBe(2);
    expect(stderr).toContain('agents-none');
    expect(stderr).toMatch(/isolated.*unshare/);
  });

  it('goes on and says so in every report when the operator said if-possible', () => {
    const json = run('if-possible', ['run', '--format', 'json']);
    expect(json.status).toBe(0);
    expect(json.stdout).toMatch(/"isolated": ?false/);
    for (const format of ['text', 'markdown', 'junit', 'sarif']) {
      const { stdout } = run('if-possible', ['run', '--format', format]);
      expect(stdout).toContain('isolated: false');
    }
  });
});
