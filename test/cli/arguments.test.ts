import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../core/cli/commands.js';
import { grounding, ROOT } from './grounding.js';

test.each([
  ['no command', []],
  ['an unknown command', ['frobnicate']],
  ['a command of a prototype', ['constructor']],
  ['an unknown option', ['lint', '--frobnicate', 'a', 'b']],
  ['an option of another command', ['lint', '--jobs', '2', 'a', 'b']],
  ['too few arguments', ['lint', 'a']],
  ['too many arguments', ['lint', 'a', 'b', 'c']],
  ['an option without its value', ['hash', 'a', '--as']],
  ['an empty argument', ['explain', '']],
  ['an empty path among several', ['lint', 'a', '']],
  ['an empty value', ['run', '--runs', '']],
  ['an empty value of an option that may be repeated', ['serve-agent', 'a.js', '--harness', '']],
  ['a value that is not a choice', ['lint', 'a', 'b', '--format', 'yaml']],
])('returns 2 with one line on standard error for %s', async (_what, args) => {
  const ended = await grounding(args);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toMatch(/^error: [^\n]+\[usage\]\n$/);
});

test.each(COMMANDS.map((command) => command.name))('shows an example when %s is asked for --help', async (name) => {
  const ended = await grounding([name, '--help']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(ended.stdout).toContain(`Example:\n  grounding ${name}`);
});

test('lists every command when it is asked for --help', async () => {
  const ended = await grounding(['--help']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  for (const command of COMMANDS) expect(ended.stdout).toContain(`\n  ${command.name} `);
});

test('prints a stack when an error is met with --debug, and none without', async () => {
  const plain = await grounding(['hash', '--as', 'dd-json-document-v1', 'none.json']);
  const debug = await grounding(['hash', '--as', 'dd-json-document-v1', 'none.json', '--debug']);
  expect(plain.stderr).not.toContain('    at ');
  expect(debug.stderr).toContain('    at ');
  expect(debug.stderr.startsWith(plain.stderr)).toBe(true);
});

test('ends quietly when its reader has gone', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'build/cli.js'), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('returns 2 when the result cannot be written', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [join(ROOT, 'build/cli.js'), '--help'], { stdio: ['ignore', full, 'pipe'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  closeSync(full);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: [^\n]+\[output-unwritable\]\n$/);
});
