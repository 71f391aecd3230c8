import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grounding } from './grounding.js';
import { passingArchive, rowsOf, tamper } from './passing-archive.js';

/** An archive whose first run fails, and its report. */
async function failing() {
  const made = passingArchive();
  const { home, runs, names } = made;
  tamper(runs, names[0]);
  writeFileSync(join(home, 'none.jsonl'), '');
  const args = ['reverify', '--format', 'json', '--previous', 'none.jsonl', '--output', 'before.jsonl'];
  expect((await grounding(args, { cwd: home })).code).toBe(1);
  return { ...made, before: readFileSync(join(home, 'before.jsonl'), 'utf8') };
}

const drift = (home: string, ...args: string[]) =>
  grounding(['reverify', '--previous', 'before.jsonl', '--fail-on', 'new', ...args], { cwd: home });

describe('grounding reverify --previous', () => {
  test.each([
    ['is no longer the document that its index line says', 'index-differs', 'envelope.json'],
    ['cannot be read any more', 'unreadable', 'spans.jsonl'],
  ])('returns 1 for a run that failed before and %s', async (_what, _test, file) => {
    const { home, runs, names, before } = await failing();
    expect((await drift(home)).code).toBe(0);
    const path = join(runs, names[0] ?? '', file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, file === 'spans.jsonl' ? '{' : text.replace('{', '{"conversation_id": "other",'));
    const ended = await drift(home, '--format', 'json');
    expect(ended.code).toBe(1);
    const since = rowsOf(before).find(({ run }) => run === names[0])?.failing_since;
    expect(rowsOf(ended.stdout).find(({ run }) => run === names[0])).toMatchObject({
      drift: 'new',
      failing_since: since,
    });
  });

  test('returns 0 for a run that fails by less than before', async () => {
    const { home, runs, names } = await failing();
    const request = join(runs, names[0] ?? '', 'request.json');
    const stored = readFileSync(request, 'utf8');
    writeFileSync(request, '{"input":{}}');
    const args = ['reverify', '--format', 'json', '--output', 'before.jsonl'];
    expect((await grounding(args, { cwd: home })).code).toBe(1);
    writeFileSync(request, stored);
    expect((await drift(home)).code).toBe(0);
  });

  test('names every run of the report before that is gone, whether it failed or not', async () => {
    const { home, runs, names } = await failing();
    const kept = names.slice(2);
    for (const name of names.slice(0, 2)) rmSync(join(runs, name), { recursive: true });
    const index = join(runs, 'invocations.jsonl');
    const lines = readFileSync(index, 'utf8').split('\n');
    writeFileSync(index, lines.filter((line) => kept.some((name) => line.includes(name))).join('\n'));
    const ended = await drift(home);
    expect(ended.stdout).toContain(
      `drift: 0 new failures, 0 healed, 0 failing still, ${kept.length} unchanged, 2 gone`,
    );
    for (const name of names.slice(0, 2)) expect(ended.stdout).toContain(`gone: ${name}`);
    expect((await drift(home, '--only', `${kept[0]}`)).stdout).not.toContain('gone');
  });

  test.each(['json', 'text', 'markdown', 'junit', 'sarif'])('tells the drift in %s', async (format) => {
    const { home, runs, names } = await failing();
    rmSync(join(runs, names[0] ?? '', 'grounding.txt'));
    tamper(runs, names[1]);
    const ended = await drift(home, '--format', format);
    expect(ended.code).toBe(1);
    const told = format === 'json' ? ended.stderr : ended.stdout;
    expect(told).toContain('drift: 1 new failure, 1 healed, 0 failing still, 10 unchanged');
    expect(told).toContain(`new failure: ${names[1]}`);
    if (format !== 'json') return;
    const kinds = rowsOf(ended.stdout).map(({ run, drift: kind }) => [run, kind]);
    expect(kinds.filter(([, kind]) => kind !== undefined)).toEqual([
      [names[0], 'healed'],
      [names[1], 'new'],
    ]);
  });

  const alterations: readonly (readonly [string, (text: string) => string, string])[] = [
    ['gives a run twice', (text) => `${text}${text}`, 'previous-malformed'],
    ['is in another order', (text) => text.trimEnd().split('\n').reverse().join('\n'), 'previous-malformed'],
    [
      'says that a run passed and failed',
      (text) => text.replace('"passed":true,"state":"passed"', '"passed":true,"state":"failed"'),
      'previous-malformed',
    ],
    [
      'dates a failure with no time',
      (text) => text.replace(/"failing_since":"[^"]*"/, '"failing_since":"soon"'),
      'previous-malformed',
    ],
    [
      'dates a failure with a number',
      (text) => text.replace(/"failing_since":"[^"]*"/, '"failing_since":7'),
      'previous-malformed',
    ],
    ['is cut within a line', (text) => text.slice(0, -40), 'json-syntax'],
    ['holds a row of something else', (text) => `${text}{"run":"x"}\n`, 'previous-malformed'],
  ];
  test.each(alterations)('refuses an earlier report that %s', async (_what, alter, code) => {
    const { home, before } = await failing();
    writeFileSync(join(home, 'before.jsonl'), alter(before));
    const ended = await drift(home, '--output', 'now.txt');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(`[${code}]`);
  });

  test('refuses an earlier report that is no regular file', async () => {
    const { home } = await failing();
    for (const path of ['.', '/dev/null']) {
      const ended = await grounding(['reverify', '--previous', path], { cwd: home });
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toContain('[config-not-a-file]');
    }
  });
});
