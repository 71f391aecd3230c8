import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Composable, composeJson, type JsonNode, parseJson } from '../../core/json/index.js';
import { judge } from '../../core/lint/index.js';
import type { UnresolvedPolicy } from '../../core/model/report.js';
import type { StoredRunVerdict } from '../../core/model/stored-run.js';
import { groundingText } from '../../core/report/grounding-text.js';
import type { Selection } from '../../core/reverify/select.js';
import { openExaminer, openRuns } from '../../core/runner/reverify-archive.js';
import { readSpans } from '../../core/trace/index.js';
import { fakeAgent, success } from '../conductor/fake-agent.js';
import { PINNED, stage } from '../conductor/stage.js';
import { sha256 } from '../support/memory-copy.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The runs of the small archive, by what they are: made by the real conductor and the real store. */
export interface Runs {
  readonly retrieval: string;
  readonly input: string;
  readonly parent: string;
  readonly child: string;
  readonly withheld: string;
  readonly abstained: string;
}

/** A copy of the small archive that one test may alter. */
export interface Archive {
  readonly folder: string;
  readonly runs: Runs;
  path(run: string, file: string): string;
  envelope(run: string): JsonNode;
  /** Writes other members into an envelope, undefined ones out of it, and the index line and grounding.txt to match. */
  rewrite(run: string, members: Readonly<Record<string, Composable | undefined>>): void;
  text(run: string, file: string): string;
  /** Edits the text of a file and nothing else. */
  edit(run: string, file: string, change: (text: string) => string): void;
  editIndex(change: (lines: string[]) => string[]): void;
}

const QUESTION = { schema_class: 'Question', topic: 'soil' };

/** Makes the runs of the small archive once. */
export async function makeRuns(): Promise<{ readonly folder: string; readonly runs: Runs }> {
  const set = await stage([
    fakeAgent({ agent_id: 'fake.agent', grounding_mode: 'retrieval' }, (work) => {
      const item = work.retrieve(PINNED, { snapshotRef: 'snap:1' });
      work.chat();
      return { result: success([item]) };
    }),
    fakeAgent({ agent_id: 'fake.other', grounding_mode: 'input_only' }, (work) => {
      if (work.call.request.get('input')?.get('topic')?.string() === 'nothing')
        return {
          result: { outcome: { status: 'abstained', statement: 'no', reason_code: 'not_applicable' }, evidence: [] },
        };
      return { result: success([work.input]) };
    }),
    fakeAgent({ agent_id: 'fake.odd', grounding_mode: 'input_only' }, (work) => ({
      result: success([{ ...work.input, content_hash: 'a'.repeat(64) }]),
    })),
  ]);
  const run = async (agent: string, topic = 'soil'): Promise<string> =>
    (await set.invoke({ agent_id: agent, input: { ...QUESTION, topic } })).invocationId;
  const runs: Runs = {
    retrieval: await run('fake.agent'),
    input: await run('fake.other'),
    parent: await run('fake.other', 'parent'),
    child: await run('fake.other', 'child'),
    withheld: await run('fake.odd'),
    abstained: await run('fake.other', 'nothing'),
  };
  return { folder: set.runsFolder, runs };
}

/** Copies the archive into a folder of the test's own, beside a sources.yaml that pins what its runs cite. */
export function archiveFrom(made: { readonly folder: string; readonly runs: Runs }): Archive {
  const records = `${JSON.stringify(PINNED)}\n`;
  const home = temporaryFolder({
    'records.jsonl': records,
    'sources.yaml': `sources:\n  - snapshot_refs: ["snap:1"]\n    path: records.jsonl\n    id_field: id\n    sha256: "${sha256(records)}"\n`,
  });
  const folder = join(home, 'runs');
  cpSync(made.folder, folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.startsWith('.')) rmSync(join(folder, name), { recursive: true });
  return archiveIn(folder, made.runs);
}

function archiveIn(folder: string, runs: Runs): Archive {
  const path = (run: string, file: string): string => join(folder, run, file);
  const envelope = (run: string): JsonNode =>
    parseJson(readFileSync(path(run, 'envelope.json')), { file: 'envelope.json' });
  const editFile = (file: string, change: (text: string) => string): void =>
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  const editIndex = (change: (lines: string[]) => string[]): void =>
    editFile(join(folder, 'invocations.jsonl'), (text) => {
      const lines = change(text.trimEnd().split('\n'));
      return lines.map((line) => `${line}\n`).join('');
    });
  return {
    folder,
    runs,
    path,
    envelope,
    editIndex,
    text: (run, file) => readFileSync(path(run, file), 'utf8'),
    edit: (run, file, change) => editFile(path(run, file), change),
    rewrite(run, members) {
      const changed = composeJson(
        new Map<string, Composable | undefined>([...envelope(run).entries(), ...Object.entries(members)]),
      );
      writeFileSync(path(run, 'envelope.json'), changed);
      const line = Buffer.from(composeJson(envelope(run), { indent: 0 })).toString();
      editIndex((lines) => lines.map((one) => (one.includes(`"invocation_id":"${run}"`) ? line : one)));
      const spans = readSpans(readFileSync(path(run, 'spans.jsonl')), { file: 'spans.jsonl' });
      writeFileSync(path(run, 'grounding.txt'), groundingText(judge(spans, envelope(run))));
    },
  };
}

/** How a test's archive is judged. */
export interface Judging {
  readonly unresolved?: UnresolvedPolicy;
  readonly selection?: Partial<Selection>;
  readonly jobs?: number;
  readonly heapMegabytes?: number;
}

export const EVERYTHING: Selection = { shard: null, sinceMs: null, only: null };

/** The verdicts on an archive, through the real files, in their order. */
export async function verdictsOn(folder: string, judging: Judging = {}): Promise<readonly StoredRunVerdict[]> {
  const sources = { sourcesPath: join(folder, '..', 'sources.yaml'), named: true };
  const selection = { ...EVERYTHING, ...judging.selection };
  const opened = await openRuns({
    runs: folder,
    sources,
    unresolved: judging.unresolved ?? 'warn',
    selection,
    seal: null,
  });
  const examiner = openExaminer(
    {
      folder,
      sources,
      engine: null,
      sealed: false,
      ...(judging.heapMegabytes && { heapMegabytes: judging.heapMegabytes }),
    },
    // So many that every job gets a thread.
    { jobs: judging.jobs ?? 1, runs: judging.jobs === undefined ? 1 : 1_000_000 },
  );
  try {
    const verdicts: StoredRunVerdict[] = [];
    for await (const rows of opened.rows({ examiner })) for (const { verdict } of rows) verdicts.push(verdict);
    return verdicts;
  } finally {
    await examiner.close();
  }
}
