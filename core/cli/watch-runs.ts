import { dirname, join, relative, resolve } from 'node:path';
import type { FoundFixture } from '../fixtures/index.js';
import { type FileWatch, watchFiles } from '../io/watch-files.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { configurationFiles, watchedBy } from '../runner/watched-setup.js';
import { planRerun, type Rerun, type Watched } from '../watch/index.js';
import type { Call } from './command.js';
import { usage } from './options.js';
import { runOnce, textOf } from './run.js';
import { errorText } from './run-cli.js';
import { settingsOf } from './settings.js';

/** What stands beside the runs folder and is written while runs are made. */
const BESIDE_RUNS = ['agent-logs', 'projects'];

const WATCHING = 'watching; Ctrl-C ends it';

/** Changed paths that are named; of more only the number is told. */
const MOST_NAMED = 3;

/**
 * `grounding run --watch`: runs everything once, then what each change touches, one round after the other, until the user interrupts it.
 * It ends as its last round did; a round that is refused says why and is no end of it.
 */
export async function watchRuns(call: Call): Promise<Conclusion> {
  refuseUnfit(call);
  const watch = await startWatch(call);
  let isOver = false;
  call.world.takeInterrupts(() => {
    isOver = true;
    void watch.close();
  });
  let last = await round(call, { rerun: { kind: 'all' }, last: { conclusion: 'refused', watched: null } });
  await say(call, WATCHING);
  while (!isOver) {
    const changed = await watch.next();
    if (changed === null) break;
    const rerun = planRerun(changed, last.watched);
    if (rerun.kind === 'some' && rerun.fixtures.size + rerun.agents.size === 0) continue;
    await say(call, `changed: ${changedText(call, changed)}`);
    const ended = await round(call, { rerun, last });
    // A round that the user ended has come to nothing.
    if (!isOver) last = ended;
    watch.add([...(last.watched?.configuration ?? [])]);
    await say(call, WATCHING);
  }
  await watch.close();
  return last.conclusion;
}

function refuseUnfit({ options }: Call): void {
  const unfit = ['replay', 'output', 'format'].filter((name) => options.text(name) !== undefined);
  const [first] = unfit;
  if (first !== undefined) throw usage(`--watch is given with --${first}`, `leave one of the two out`);
}

function startWatch(call: Call): Promise<FileWatch> {
  const { cwd } = call.world;
  const settings = settingsOf(call);
  const runs = resolve(cwd, settings.runs);
  const record = call.options.text('record');
  return watchFiles({
    paths: [cwd, ...configurationFiles(settings, cwd), ...call.args.map((target) => resolve(cwd, target))],
    ignored: [
      runs,
      ...BESIDE_RUNS.map((name) => join(dirname(runs), name)),
      ...(record === undefined ? [] : [resolve(cwd, record)]),
    ],
  });
}

interface RoundEnd {
  readonly conclusion: Conclusion;
  /** What is known of what runs rest on; null when nothing is. */
  readonly watched: Watched | null;
}

async function round(
  call: Call,
  { rerun, last }: { readonly rerun: Rerun; readonly last: RoundEnd },
): Promise<RoundEnd> {
  const { world } = call;
  let { watched } = last;
  try {
    const report = await runOnce(call, {
      isWanted: (found) => isTouched(found, { rerun, folder: world.cwd }),
      look: ({ session, settings }) => {
        watched = watchedBy(session, { settings, folder: world.cwd, fixtures: call.args });
      },
    });
    if (report === null) return last;
    await world.out.write(await textOf(call, report));
    return { conclusion: report.conclusion, watched };
  } catch (error) {
    await world.err.write(`${errorText(error, world.args.includes('--debug'))}\n`);
    return { conclusion: 'refused', watched: null };
  }
}

function isTouched(
  found: FoundFixture,
  { rerun, folder }: { readonly rerun: Rerun; readonly folder: string },
): boolean {
  if (rerun.kind === 'all') return true;
  if (found.kind === 'unreadable') return rerun.fixtures.has(resolve(folder, found.file));
  return rerun.fixtures.has(resolve(folder, found.fixture.file)) || rerun.agents.has(found.fixture.agentId);
}

function changedText({ world }: Call, changed: ReadonlySet<string>): string {
  const names = [...changed].map((path) => relative(world.cwd, path)).sort();
  const named = names.slice(0, MOST_NAMED).join(', ');
  return oneLine(names.length > MOST_NAMED ? `${named} and ${names.length - MOST_NAMED} more` : named);
}

async function say({ world }: Call, line: string): Promise<void> {
  await world.err.write(`${line}\n`);
}
