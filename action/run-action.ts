import { join } from 'node:path';
import {
  type CheckConclusion,
  type Conclusion,
  exitCodeOf,
  GateError,
  markerLine,
  type OpenCheck,
  oneLine,
  visibleLines,
} from '../core/index.js';
import type { Standing } from './bind.js';
import { concludeJob } from './conclude.js';
import { type Job, openPlace, readJob } from './job.js';
import { judgeJob } from './judge.js';
import type { Judged } from './judged.js';
import { pullNumber } from './pull-number.js';
import { sinkNotes } from './sink.js';
import { endCheck, startCheck, type Telling, tellArtifact, tellCheck, tellComment, tellSarif } from './sinks.js';
import { summaryNotes, tellOutputs } from './tell-runner.js';
import { originLine, Texts, type Verdict } from './told.js';
import type { ActionWorld, Stop } from './world.js';

/** How a job of the Action ended. */
type Ended =
  | { readonly kind: 'judged'; readonly standing: Standing; readonly judged: Judged }
  | { readonly kind: 'stopped'; readonly stop: Stop };

/**
 * Carries out the Action and gives its exit code, which is the verdict (contract 9): whatever becomes of check, comment, artifact and SARIF
 * changes nothing of it. Rejects only when there is no job to work in; every later failure is told first.
 */
export async function runAction(world: ActionWorld): Promise<number> {
  const job = readJob(world);
  for (const secret of job.redactor.secrets) world.log.mask(secret);
  world.enter(job.folder);
  const telling = { world, job, notes: sinkNotes((line) => world.log.warning(job.redactor.scrub(oneLine(line)))) };
  const check = await startCheck(telling);
  try {
    const ended = await untilStopped(world, job);
    if (ended.kind === 'stopped') return await tellStopped(telling, { check, stop: ended.stop });
    const verdict = await concludeJob(ended.standing, ended.judged);
    return await tell(telling, { check, judged: ended.judged, verdict });
  } catch (error) {
    await tellRefused(telling, { check, error });
    throw error;
  }
}

/** Judges until it is done, the job is cancelled, or its time is up; agents are ended before anything is told. */
async function untilStopped(world: ActionWorld, job: Job): Promise<Ended> {
  let interrupt = async (): Promise<void> => {};
  let stopping = false;
  let forget = (): void => {};
  const stopped = new Promise<Ended>((resolve) => {
    forget = world.onStop(job.inputs.timeoutMinutes, (stop) => {
      stopping = true;
      // The runner kills what is left a few seconds later: agents have to be gone, and the check concluded, by then.
      void Promise.race([interrupt().catch(() => undefined), world.pause(INTERRUPT_MS)]).then(() =>
        resolve({ kind: 'stopped', stop }),
      );
    });
  });
  const onOpen = (end: () => Promise<void>): void => {
    interrupt = end;
  };
  try {
    // Agents that were ended look like agents that failed: what comes of a job after its stop is no verdict.
    const judged = judgeIn(world, { job, onOpen }).then(
      (ended) => (stopping ? stopped : ended),
      (error: unknown) => {
        if (stopping) return stopped;
        throw error;
      },
    );
    return await Promise.race([judged, stopped]);
  } finally {
    forget();
  }
}

async function judgeIn(
  world: ActionWorld,
  { job, onOpen }: { readonly job: Job; readonly onOpen: (end: () => Promise<void>) => void },
): Promise<Ended> {
  const standing = { world, job, place: await openPlace(world, job) };
  return { kind: 'judged', standing, judged: await judgeJob(standing, { onOpen }) };
}

const INTERRUPT_MS = 2_000;

interface Told {
  readonly check: OpenCheck | null;
  readonly judged: Judged;
  readonly verdict: Verdict;
}

/** The sinks, one after the other; the log and the outputs come first, since nobody can refuse them. */
async function tell(telling: Telling, { check, judged, verdict }: Told): Promise<number> {
  const { world, job } = telling;
  const texts = new Texts(verdict, job);
  const { conclusion } = verdict.report;
  tellLog(telling, { judged, verdict });
  const report = texts.files();
  const folder = world.files.makeTemporary(job.context.temp);
  for (const [name, text] of report) world.files.write(join(folder, name), Buffer.from(text));
  await tellCheck(telling, { check, texts, conclusion: checkConclusion(conclusion, judged) });
  const artifactId = await tellArtifact(telling, { judged, report });
  const confirm = await tellComment(telling, {
    bodyFor: (marker) => texts.comment(marker, artifactId),
    number: await pullNumber(job),
    failed: conclusion !== 'passed',
  });
  await tellSarif(telling, texts);
  tellOutputs(telling, { conclusion, report: verdict.report, folder, runs: judged.runs, artifactId });
  tellSummary(telling, texts.summary());
  await confirm();
  if (conclusion !== 'passed') world.log.error(`grounding: ${texts.checkTitle()} (${conclusion})`);
  return exitCodeOf(conclusion);
}

function checkConclusion(conclusion: Conclusion, { nothingChanged }: Judged): CheckConclusion {
  if (conclusion !== 'passed') return 'failure';
  return nothingChanged ? 'neutral' : 'success';
}

/** Every finding stands in the log, whatever the other sinks take. */
function tellLog({ world, job }: Telling, { judged, verdict }: Omit<Told, 'check'>): void {
  const { findings, notices } = verdict.report;
  const lines = findings.map(
    ({ level, rule, message, fixture, run }) => `${level}: ${rule}: ${fixture ?? run ?? ''}: ${message}`,
  );
  // The table of a fixtures run ends with the notices.
  const rest = judged.text === '' ? notices.map((notice) => `note: ${oneLine(notice)}`) : [];
  const text = [judged.text, ...lines.map(oneLine), ...rest].join('\n');
  world.log.untrusted(visibleLines(job.redactor.scrub(text)));
}

function tellSummary({ world, job, notes }: Telling, markdown: string): void {
  try {
    world.runner.summary(`${markdown}${summaryNotes(notes.lines.map((line) => job.redactor.scrub(line)))}`);
  } catch (error) {
    notes.add(`summary: it cannot be written (${error instanceof Error ? error.message : String(error)})`);
  }
}

interface Stopped {
  readonly check: OpenCheck | null;
  readonly stop: Stop;
}

const STOPPED = {
  cancelled: 'The job was cancelled before everything was judged: there is no verdict.',
  timed_out: 'The time that timeout-minutes allows was over before everything was judged: there is no verdict.',
} as const satisfies Record<Stop, string>;

async function tellStopped(telling: Telling, { check, stop }: Stopped): Promise<number> {
  const text = STOPPED[stop];
  await endCheck(telling, { check, conclusion: stop, title: 'no verdict', summary: text });
  // A cancelled job has seconds, and the run that takes its place will say more.
  if (stop === 'timed_out') await tellNoVerdict(telling, `${text}\n`);
  tellOutputs(telling, { conclusion: stop, report: null, folder: null, runs: null, artifactId: null });
  tellSummary(telling, `## ${text}\n`);
  telling.world.log.error(text);
  return exitCodeOf('refused');
}

/** An older comment must not go on saying what nobody knows any more. */
async function tellNoVerdict(telling: Telling, text: string): Promise<void> {
  const { job } = telling;
  await tellComment(telling, {
    bodyFor: (marker) => `${markerLine(marker)}\n\n## no verdict\n\n${text}${originLine(job, null)}`,
    number: await pullNumber(job),
    failed: true,
  });
}

/** A configuration error, or one of ours, leaves a red check and a reason everywhere that takes one. */
async function tellRefused(
  telling: Telling,
  { check, error }: { readonly check: OpenCheck | null; readonly error: unknown },
): Promise<void> {
  const { job } = telling;
  const reason = job.redactor.scrub(visibleLines(reasonOf(error)));
  const text = `The configuration was refused, or something failed before a verdict:\n\n${fence(reason)}\n`;
  await endCheck(telling, { check, conclusion: 'failure', title: 'no verdict', summary: text });
  await tellNoVerdict(telling, text);
  tellOutputs(telling, { conclusion: 'refused', report: null, folder: null, runs: null, artifactId: null });
  tellSummary(telling, `## no verdict\n\n${text}`);
}

/** One line on what went wrong; a code in brackets at its end says where to read on. */
export function reasonOf(error: unknown): string {
  if (error instanceof GateError) return error.describe();
  return `${oneLine(error instanceof Error ? error.message : String(error))}; this is a bug of the Action [internal]`;
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}text\n${text}\n${marks}`;
}
