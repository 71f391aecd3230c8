import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../core/json/index.js';
import { PROBLEM_BASE } from '../../core/model/outcome.js';
import type { RunState, TamperTest } from '../../core/model/stored-run.js';
import { type Archive, archiveFrom, makeRuns, type Runs, verdictsOn } from './archive.js';

let made: Awaited<ReturnType<typeof makeRuns>>;
beforeAll(async () => {
  made = await makeRuns();
});

const UNTOUCHED: Readonly<Record<keyof Runs, RunState>> = {
  retrieval: 'passed',
  input: 'passed',
  parent: 'passed',
  child: 'passed',
  withheld: 'withheld',
  abstained: 'passed',
};

/** What a run is to be; only states that differ from an untouched archive are named, undefined for no verdict at all. */
interface Expected {
  readonly states?: { readonly [Key in keyof Runs]?: RunState | undefined };
  readonly tests?: Partial<Record<keyof Runs, readonly TamperTest[]>>;
  readonly absent?: Partial<Record<keyof Runs, readonly string[]>>;
}

type Case = readonly [title: string, alter: (archive: Archive) => void, expected: Expected];

const NOBODY = '01a0c455-bf5e-7bd9-8565-7a47938408ff';
const VIOLATION = { type: `${PROBLEM_BASE}grounding-violation`, title: 'withheld' };

const tampered = (run: keyof Runs, ...tests: TamperTest[]): Expected => ({
  states: { [run]: 'tampered' },
  tests: { [run]: tests },
});

/** Records the child as delegated to by the parent, with this hash or the right one. */
function delegate(archive: Archive, more: { readonly childId?: string; readonly hash?: string | null } = {}): void {
  const { parent, child } = archive.runs;
  const right = hashOf(archive.envelope(child), 'dd-envelope-json-v1');
  archive.rewrite(parent, {
    delegations: [
      {
        delegated_invocation_id: more.childId ?? child,
        delegated_agent_id: 'fake.other',
        delegated_agent_version: '1.2.3',
        delegated_status: 'succeeded',
        content_hash: more.hash === undefined ? right : more.hash,
      },
    ],
  });
}

const isLineOf = (run: string, line: string): boolean => line.includes(`"invocation_id":"${run}"`);

const dropLine =
  (run: string) =>
  (lines: string[]): string[] =>
    lines.filter((line) => !line.includes(`"invocation_id":"${run}"`));
const doubleLine =
  (run: string) =>
  (lines: string[]): string[] =>
    lines.flatMap((line) => (line.includes(`"invocation_id":"${run}"`) ? [line, line] : [line]));

/** Puts something else in the place of a file. */
function instead(file: string, put: (file: string) => unknown): void {
  rmSync(file);
  put(file);
}

const CASES: readonly Case[] = [
  ['nothing was touched', () => undefined, {}],

  // "its folder name is not its invocation_id"
  [
    'the envelope is of another run',
    (a) => a.rewrite(a.runs.input, { invocation_id: NOBODY }),
    // Its line was rewritten with it, so that the line has no folder either.
    tampered('input', 'folder-name'),
  ],
  [
    'the envelope has a null invocation_id',
    (a) => a.rewrite(a.runs.input, { invocation_id: null }),
    tampered('input', 'folder-name'),
  ],

  // "its line in invocations.jsonl is missing, doubled or not the same document (canonical bytes)"
  ['the index line is missing', (a) => a.editIndex(dropLine(a.runs.input)), tampered('input', 'index-missing')],
  ['the index line is doubled', (a) => a.editIndex(doubleLine(a.runs.input)), tampered('input', 'index-doubled')],
  [
    'the index line is another document',
    (a) => a.edit(a.runs.input, 'envelope.json', (text) => text.replace('"done"', '"done!"')),
    tampered('input', 'index-differs'),
  ],
  [
    'a number of the envelope is another one in the index line',
    (a) => {
      a.rewrite(a.runs.input, { extra: 1 });
      a.edit(a.runs.input, 'envelope.json', (text) => text.replace('"extra": 1', '"extra": 1.0'));
    },
    tampered('input', 'index-differs'),
  ],
  [
    'the index line is the same document in another order and spacing',
    (a) =>
      a.editIndex((lines) =>
        lines.map((line) =>
          JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()), null, 1).replaceAll('\n', ' '),
        ),
      ),
    {},
  ],
  [
    'a null member stands in the envelope and not in the index line',
    (a) => a.edit(a.runs.input, 'envelope.json', (text) => text.replace('{', '{"conversation_id": null,')),
    tampered('input', 'index-differs'),
  ],

  // "telemetry, dd.input_hash"
  [
    'the input of request.json is another one',
    (a) => a.edit(a.runs.input, 'request.json', (text) => text.replace('soil', 'peat')),
    tampered('input', 'input-hash'),
  ],
  [
    'request.json has no input',
    (a) => a.edit(a.runs.input, 'request.json', () => '{}'),
    tampered('input', 'input-hash'),
  ],
  [
    'telemetry names another trace',
    (a) => a.rewrite(a.runs.input, { telemetry: { trace_id: 'f'.repeat(32), energy_method: 'not_measured' } }),
    tampered('input', 'trace-id'),
  ],
  [
    'telemetry names the trace by a number',
    (a) => a.rewrite(a.runs.input, { telemetry: { trace_id: 1 } }),
    tampered('input', 'trace-id'),
  ],
  [
    'telemetry names the trace with 0x',
    (a) =>
      a.rewrite(a.runs.input, {
        telemetry: { trace_id: `0x${a.envelope(a.runs.input).get('telemetry')?.get('trace_id')?.string()}` },
      }),
    {},
  ],
  ['telemetry has a null trace_id', (a) => a.rewrite(a.runs.input, { telemetry: { trace_id: null } }), {}],
  ['there is no telemetry', (a) => a.rewrite(a.runs.input, { telemetry: undefined }), {}],
  [
    'two roots hide another input and another trace',
    (a) => {
      a.edit(a.runs.input, 'spans.jsonl', (text) => text + text);
      a.rewrite(a.runs.input, { telemetry: { trace_id: 'f'.repeat(32) } });
      a.edit(a.runs.input, 'request.json', (text) => text.replace('soil', 'peat'));
    },
    { states: { input: 'failed' } },
  ],

  // "the first line or the rule ids of its grounding.txt are not ours"
  [
    'grounding.txt counts otherwise',
    (a) => a.edit(a.runs.input, 'grounding.txt', (text) => text.replace('0 retrieval', '1 retrieval')),
    tampered('input', 'grounding-text'),
  ],
  [
    'grounding.txt is empty',
    (a) => a.edit(a.runs.input, 'grounding.txt', () => ''),
    tampered('input', 'grounding-text'),
  ],
  [
    'grounding.txt begins with a byte order mark',
    (a) => a.edit(a.runs.input, 'grounding.txt', (text) => `\ufeff${text}`),
    tampered('input', 'grounding-text'),
  ],
  [
    'grounding.txt passes and lists a rule',
    (a) => a.edit(a.runs.input, 'grounding.txt', (text) => `${text}  - G9: invented\n`),
    tampered('input', 'grounding-text'),
  ],
  [
    'grounding.txt of a failed run lists other rules',
    (a) => {
      a.rewrite(a.runs.input, { payload: { schema_class: 'Answer', grounded_on: [] } });
      a.edit(a.runs.input, 'grounding.txt', (text) => text.replaceAll('- R3:', '- G2:').replaceAll('- D3:', '- G2:'));
      a.rewrite(a.runs.input, { evidence: [] });
      a.edit(a.runs.input, 'grounding.txt', (text) => text.replaceAll('- R3:', '- G2:'));
    },
    tampered('input', 'grounding-text'),
  ],
  [
    'grounding.txt of a failed run lists its rules in other words and twice',
    (a) => {
      a.rewrite(a.runs.input, { evidence: [] });
      a.edit(a.runs.input, 'grounding.txt', (text) => `${text}  - R3: said otherwise\n`);
    },
    { states: { input: 'failed' } },
  ],
  [
    'sources.txt says something else',
    (a) => a.edit(a.runs.retrieval, 'sources.txt', () => 'sources: 9 verified, 0 unresolved\n'),
    {},
  ],

  // "an index line has no folder"
  [
    'the folder of an indexed run is gone',
    (a) => rmSync(join(a.folder, a.runs.input), { recursive: true }),
    tampered('input', 'no-folder'),
  ],

  // "a recorded delegation's content_hash …"
  ['the delegated run is stored as recorded', (a) => delegate(a), {}],
  [
    'the delegated run has another hash',
    (a) => delegate(a, { hash: 'b'.repeat(64) }),
    tampered('parent', 'child-differs'),
  ],
  ['the delegation states no hash', (a) => delegate(a, { hash: null }), tampered('parent', 'child-differs')],
  [
    'the delegated run was changed together with its index line',
    (a) => {
      delegate(a);
      a.rewrite(a.runs.child, { conversation_id: 'other' });
    },
    tampered('parent', 'child-differs'),
  ],
  [
    'the delegated run has an index line and no folder',
    (a) => {
      delegate(a);
      rmSync(join(a.folder, a.runs.child), { recursive: true });
    },
    { states: { parent: 'tampered', child: 'tampered' }, tests: { parent: ['child-missing'], child: ['no-folder'] } },
  ],
  [
    'the delegated run cannot be read',
    (a) => {
      delegate(a);
      a.edit(a.runs.child, 'envelope.json', () => '{');
    },
    { states: { parent: 'tampered', child: 'unreadable' }, tests: { parent: ['child-differs'] } },
  ],
  [
    'the delegated run is neither stored nor in the index',
    (a) => delegate(a, { childId: NOBODY }),
    { absent: { parent: [NOBODY] } },
  ],
  [
    'the delegated run is named by a path',
    (a) => delegate(a, { childId: '../runs' }),
    { absent: { parent: ['../runs'] } },
  ],
  [
    'the delegated run has a name longer than any file',
    (a) => delegate(a, { childId: 'x'.repeat(5000) }),
    { absent: { parent: ['x'.repeat(5000)] } },
  ],
  ['delegations are null', (a) => a.rewrite(a.runs.parent, { delegations: null }), {}],
  ['delegations are no list', (a) => a.rewrite(a.runs.parent, { delegations: 'none' }), {}],
  ['a delegation names nobody', (a) => a.rewrite(a.runs.parent, { delegations: [{}, null, 1] }), {}],

  // "A run whose grounding.txt or sources.txt begins FAILED, or says FAILED in its first line …"
  [
    'the texts of a withheld run are not compared',
    (a) =>
      a.edit(a.runs.withheld, 'grounding.txt', () => 'grounding: passed [input_only] (7 retrieval, 7 chat spans)\n'),
    {},
  ],
  [
    'grounding.txt begins FAILED and nothing is shown',
    (a) => a.edit(a.runs.abstained, 'grounding.txt', () => 'FAILED: G0\n'),
    { states: { abstained: 'withheld' } },
  ],
  [
    'sources.txt says FAILED in its first line and nothing is shown',
    (a) => a.edit(a.runs.abstained, 'sources.txt', () => 'sources: 0 verified, 0 unresolved; FAILED\n  - S1: x\n'),
    { states: { abstained: 'withheld' } },
  ],
  [
    'sources.txt says FAILED below its first line only',
    (a) => a.edit(a.runs.abstained, 'sources.txt', () => 'sources: 0 verified, 0 unresolved\nFAILED\n'),
    {},
  ],
  [
    'grounding.txt says FAILED and a payload is shown',
    (a) => a.edit(a.runs.input, 'grounding.txt', () => 'grounding: FAILED [input_only]\n'),
    tampered('input', 'grounding-text'),
  ],
  [
    'payload and evidence are null beside a FAILED text',
    (a) => {
      a.rewrite(a.runs.abstained, { payload: null, evidence: null });
      a.edit(a.runs.abstained, 'grounding.txt', () => 'grounding: FAILED [input_only]\n');
    },
    { states: { abstained: 'withheld' } },
  ],
  [
    'the envelope is a grounding-violation without texts',
    (a) => {
      a.rewrite(a.runs.abstained, { outcome: { status: 'failed', statement: 'x' }, problem: VIOLATION });
      rmSync(a.path(a.runs.abstained, 'grounding.txt'));
      rmSync(a.path(a.runs.abstained, 'sources.txt'));
    },
    { states: { abstained: 'withheld' } },
  ],
  [
    'a failing run calls itself a grounding-violation and shows its payload all the same',
    (a) => a.rewrite(a.runs.input, { problem: VIOLATION, evidence: [] }),
    { states: { input: 'failed' } },
  ],
  [
    'a run that holds calls itself a grounding-violation and shows its payload',
    (a) => a.rewrite(a.runs.input, { problem: VIOLATION }),
    { states: { input: 'withheld' } },
  ],
  [
    'a withheld run is tampered first',
    (a) => a.editIndex(dropLine(a.runs.withheld)),
    tampered('withheld', 'index-missing'),
  ],

  // "What is absent is not judged"
  ['there is no index', (a) => rmSync(join(a.folder, 'invocations.jsonl')), {}],
  [
    'there is no index, and a delegated run is nowhere',
    (a) => {
      delegate(a);
      rmSync(join(a.folder, 'invocations.jsonl'));
      rmSync(join(a.folder, a.runs.child), { recursive: true });
    },
    { states: { child: undefined }, absent: { parent: ['child'] } },
  ],
  ['there is no request.json', (a) => rmSync(a.path(a.runs.input, 'request.json')), {}],
  [
    'there are no texts',
    (a) => {
      rmSync(a.path(a.runs.input, 'grounding.txt'));
      rmSync(a.path(a.runs.input, 'sources.txt'));
    },
    {},
  ],
  [
    'an index line cannot be read',
    (a) => a.editIndex((lines) => [...lines, '{"half', '{"invocation_id":1}', '[]', '{"a":1,"a":2}']),
    {},
  ],
  [
    'the line of a run cannot be read',
    (a) =>
      a.editIndex((lines) =>
        lines.map((line) => (line.includes(`"invocation_id":"${a.runs.input}"`) ? line.slice(1) : line)),
      ),
    tampered('input', 'index-missing'),
  ],
  [
    'the line of a run begins soundly and cannot be read',
    (a) => a.editIndex((lines) => lines.map((line) => (isLineOf(a.runs.input, line) ? `${line} x` : line))),
    tampered('input', 'index-missing'),
  ],
  [
    'the line of a run doubles a key',
    (a) =>
      a.editIndex((lines) =>
        lines.map((line) => (isLineOf(a.runs.input, line) ? line.replace(/}$/, ',"agent_id":"x"}') : line)),
      ),
    tampered('input', 'index-missing'),
  ],
  [
    'a half line of a run stands before its whole one',
    (a) =>
      a.editIndex((lines) =>
        lines.flatMap((line) => (isLineOf(a.runs.input, line) ? [line.slice(0, 99), line] : [line])),
      ),
    {},
  ],
  [
    'a half line of a run stands after its whole one',
    (a) =>
      a.editIndex((lines) =>
        lines.flatMap((line) => (isLineOf(a.runs.input, line) ? [line, line.slice(0, 99)] : [line])),
      ),
    {},
  ],
  [
    'a half line is all that is left of a run',
    (a) => {
      a.editIndex((lines) => lines.map((line) => (isLineOf(a.runs.input, line) ? line.slice(0, 99) : line)));
      rmSync(join(a.folder, a.runs.input), { recursive: true });
    },
    { states: { input: undefined } },
  ],
  [
    'an index line names a run that no folder can have',
    (a) => a.editIndex((lines) => [...lines, '{"invocation_id":"../elsewhere"}', '{"invocation_id":"__proto__"}']),
    {},
  ],

  // "unreadable" comes first
  ...(
    [
      ['is missing', (file: string) => rmSync(file)],
      ['is empty', (file: string) => writeFileSync(file, '')],
      ['is blank', (file: string) => writeFileSync(file, '\n \n')],
      ['is a folder', (file: string) => instead(file, mkdirSync)],
      ['is a pipe', (file: string) => instead(file, () => execFileSync('mkfifo', [file]))],
      [
        'is a link to a sound file',
        (file: string) => {
          renameSync(file, `${file}.real`);
          symlinkSync(`${file}.real`, file);
        },
      ],
      ['is a device', (file: string) => instead(file, () => symlinkSync('/dev/zero', file))],
      ['is nested 1,001 deep', (file: string) => writeFileSync(file, `${'['.repeat(1001)}${']'.repeat(1001)}`)],
      ['is a gigabyte long', (file: string) => truncateSync(file, 2 ** 30)],
      ['is no UTF-8', (file: string) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))],
      ['is an array', (file: string) => writeFileSync(file, '[]')],
    ] as const
  ).flatMap(([what, put]): Case[] =>
    ['envelope.json', 'spans.jsonl'].map((file) => [
      `${file} ${what}`,
      (a) => {
        put(a.path(a.runs.input, file));
        // The index line is wrong as well: what cannot be read is not judged.
        a.editIndex(dropLine(a.runs.input));
      },
      { states: { input: 'unreadable' } },
    ]),
  ),
  [
    'request.json is no JSON',
    (a) => a.edit(a.runs.input, 'request.json', () => '{'),
    { states: { input: 'unreadable' } },
  ],
  [
    'the run folder is a link to a sound one',
    (a) => {
      renameSync(join(a.folder, a.runs.input), join(a.folder, '..', 'elsewhere'));
      symlinkSync(join(a.folder, '..', 'elsewhere'), join(a.folder, a.runs.input));
    },
    { states: { input: 'unreadable' } },
  ],
  [
    'a file stands where the run folder was',
    (a) => {
      rmSync(join(a.folder, a.runs.input), { recursive: true });
      writeFileSync(join(a.folder, a.runs.input), '');
    },
    { states: { input: 'unreadable' } },
  ],
];

describe('a stored run, by contract 10', () => {
  it.each(CASES)('returns the state of each run when %s', async (_title, alter, expected) => {
    const archive = archiveFrom(made);
    alter(archive);
    const verdicts = await verdictsOn(archive.folder);
    const byRun = new Map(verdicts.map((verdict) => [verdict.run, verdict]));
    const names = Object.entries(archive.runs) as [keyof Runs, string][];
    const states = Object.fromEntries(names.map(([key, id]) => [key, byRun.get(id)?.state]));
    expect(states).toEqual({ ...UNTOUCHED, ...expected.states });
    for (const [key, id] of names) {
      const verdict = byRun.get(id);
      if (verdict === undefined) continue;
      expect([key, verdict.tampering.map(({ test }) => test)]).toEqual([key, expected.tests?.[key] ?? []]);
      const absent = expected.absent?.[key]?.map((one) => (one === 'child' ? archive.runs.child : one)) ?? [];
      expect([key, verdict.absent]).toEqual([key, absent]);
    }
  });

  it('returns every run in folder-name order, and judges tampered ones as well', async () => {
    const archive = archiveFrom(made);
    archive.editIndex((lines) => [
      '{"invocation_id":"aaa"}',
      '{"invocation_id":"zzz"}',
      ...dropLine(archive.runs.input)(lines),
    ]);
    renameSync(join(archive.folder, archive.runs.child), join(archive.folder, 'moved'));
    const verdicts = await verdictsOn(archive.folder);
    const names = verdicts.map(({ run }) => run);
    expect(names).toEqual([...names].sort());
    expect(names).toHaveLength(9);
    const stateOf = (run: string) => verdicts.find((one) => one.run === run);
    expect(stateOf('moved')).toMatchObject({ state: 'tampered', tampering: [{ test: 'folder-name' }] });
    for (const lost of ['aaa', 'zzz', archive.runs.child])
      expect(stateOf(lost)).toMatchObject({
        state: 'tampered',
        grounding: null,
        sources: null,
        tampering: [{ test: 'no-folder' }],
      });
    expect(stateOf(archive.runs.input)).toMatchObject({
      state: 'tampered',
      grounding: { passed: true },
      sources: { passed: true },
    });
  });

  it.each([
    ['allow', 'passed', true],
    ['warn', 'passed', true],
    ['fail', 'failed', false],
  ] as const)(
    'returns what --unresolved %s makes of evidence that no copy covers',
    async (unresolved, state, passed) => {
      const archive = archiveFrom(made);
      const { retrieval } = archive.runs;
      const item = archive.envelope(retrieval).get('evidence')?.items()[0];
      archive.rewrite(retrieval, { evidence: [new Map([...(item?.entries() ?? []), ['snapshot_ref', null]])] });
      const verdict = (await verdictsOn(archive.folder, { unresolved })).find(({ run }) => run === retrieval);
      expect(verdict).toMatchObject({
        state,
        sources: { passed, rules: [], violations: [], unresolved: [{ sourceId: 'src:a' }] },
      });
    },
  );

  it('returns the same verdicts from threads as from one', async () => {
    const archive = archiveFrom(made);
    delegate(archive);
    archive.edit(archive.runs.input, 'spans.jsonl', () => '{');
    expect(await verdictsOn(archive.folder, { jobs: 3 })).toEqual(await verdictsOn(archive.folder));
  });

  it('returns unreadable for the one run on which a thread dies, and every other verdict', async () => {
    const archive = archiveFrom(made);
    const span = archive.text(archive.runs.input, 'spans.jsonl').split('\n')[0] ?? '';
    // Sound spans, each of another id, that together do not fit into the heap of a thread.
    const many = Array.from({ length: 150_000 }, (_, at) => span.replace(/"span_id": ?"[^"]*"/, `"span_id":"${at}"`));
    archive.edit(archive.runs.input, 'spans.jsonl', () => `${many.join('\n')}\n`);
    const verdicts = await verdictsOn(archive.folder, { jobs: 2, heapMegabytes: 48 });
    const states = new Map(verdicts.map(({ run, state }) => [run, state]));
    expect(states.get(archive.runs.input)).toBe('unreadable');
    for (const run of [archive.runs.retrieval, archive.runs.parent, archive.runs.child])
      expect(states.get(run)).toBe('passed');
    expect(states.size).toBe(6);
  });

  it('refuses an archive whose index is no file', async () => {
    const archive = archiveFrom(made);
    rmSync(join(archive.folder, 'invocations.jsonl'));
    symlinkSync('/dev/null', join(archive.folder, 'invocations.jsonl'));
    await expect(verdictsOn(archive.folder)).rejects.toMatchObject({ code: 'store-obstructed' });
  });
});
