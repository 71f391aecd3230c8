import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grounding } from './grounding.js';
import { fixtureFor, PRINCIPAL, workshop } from './workshop.js';

/** A workshop in a repository of its own, beside files that are none of its business. */
function repository(): string {
  const folder = workshop({ 'outside.json': fixtureFor('honest'), 'inside/fixtures/x/keep.txt': '' });
  const inside = join(folder, 'inside');
  mkdirSync(join(inside, '.git'));
  return inside;
}

const run = (inside: string, args: readonly string[] = []) =>
  grounding(['run', '--agents', '../agents.yaml', '--profile', '../profiles/default.yaml', '--runs', 'runs', ...args], {
    cwd: inside,
    env: PRINCIPAL,
  });

/** What stands at fixtures/x/bad.json, and what the run is refused with. */
const BAD: readonly (readonly [what: string, code: string, make: (path: string) => void])[] = [
  ['a link out of the repository', 'config-outside', (path) => symlinkSync('../../../outside.json', path)],
  ['a link to nothing', 'config-missing', (path) => symlinkSync('nowhere.json', path)],
];

describe('a fixture that is', () => {
  test.each(BAD)('%s is refused with 2 on one line, and nothing is stored', async (_what, code, make) => {
    const inside = repository();
    make(join(inside, 'fixtures/x/bad.json'));
    const ended = await run(inside);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(new RegExp(`^error: [^\n]+ \\[${code}\\]\n$`));
    expect(existsSync(join(inside, 'runs'))).toBe(false);
  });

  test('a named pipe does not hang the run, and is no fixture', async () => {
    const inside = repository();
    execFileSync('mkfifo', [join(inside, 'fixtures/x/pipe.json')]);
    expect((await run(inside)).code).toBe(2);
    const named = await run(inside, ['fixtures/x/pipe.json']);
    expect(named).toMatchObject({ code: 2, stdout: '' });
    expect(named.stderr).toContain('[config-not-a-file]');
  });

  test.each([
    ['empty', '', 'json-empty'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'json-encoding'],
    ['with a mark before it', `\ufeff${fixtureFor('honest')}`, 'json-encoding'],
    ['nested 100,000 deep', '['.repeat(100_000), 'json-depth'],
    ['a list', '[]', 'fixture-shape'],
    ['with a key twice', '{"agent_id":"a","agent_id":"a","input":{}}', 'json-duplicate-key'],
    ['with a member that nothing reads', '{"agent_id":"a","input":{},"policy":"open"}', 'fixture-shape'],
    ['with an id that is a path', '{"agent_id":"a","input":{},"invocation_id":"../../x"}', 'fixture-shape'],
  ])('%s is not judged, with file and code on one line', async (_what, content, code) => {
    const inside = repository();
    writeFileSync(join(inside, 'fixtures/x/bad.json'), content);
    const ended = await run(inside);
    expect(ended.code).toBe(2);
    expect(ended.stdout).toMatch(new RegExp(`^ {2}- fixtures/x/bad\\.json:[^\n]+ \\[${code}\\]$`, 'm'));
  });
});
