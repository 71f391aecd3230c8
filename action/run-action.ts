import { join } from 'node:path';
import {
  type CheckConclusion,
  type Conclusion,
  code,
  cutBytes,
  exitCodeOf,
  GateError,
  type Marker,
  markerLine,
  messageOf,
  type OpenCheck,
  oneLine,
  visibleLines,
} from '../core/index.js';
import type { Standing } from './bind.js';
import { concludeJob } from './conclude.js';
import { type Job, openPlace, readJob } from './job.js';
import { judgeJob } from './judge.js';
import type { Judged } from './judged.js';
import { writePages } from './pages.js';
import { pullNumber } from './pull-number.js';
import { sinkNotes, undecided } from './sink.js';
import { endCheck, startCheck, type Telling, tellArtifact, tellCheck, tellComment, tellSarif } from './sinks.js';
import { fence, summaryNotes, tellNoJob, tellOutputs } from './tell-runner.js';
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
  const job = jobOf(world);
  for (const secret of job.redactor.secrets) world.log.mask(secret);
  world.enter(job.folder);
  const telling = { world, job, notes: sinkNotes((line) => world.log.warning(job.redactor.scrub(oneLine(line)))) };
  // Watched from here on: a job that is cancelled while its check is being opened must conclude it.
  const watch = watchStop(world, job.inputs.timeoutMinutes);
  const check = await startCheck(telling);
  try {
    const ended = await undisturbed(telling, () => untilStopped(standingIn(world, job), watch));
    if (ended.kind === 'stopped') return await tellStopped(telling, { check, stop: ended.stop });
    const verdict = await concludeJob(ended.standing, ended.judged);
    return await tell(telling, { check, judged: ended.judged, verdict });
  } catch (error) {
    await tellRefused(telling, { check, error });
    throw error;
  } finally {
    watch.end();
  }
}

/** Without a job there is no check and no comment to write: the summary and the outputs say why. */
function jobOf(world: ActionWorld): Job {
  try {
    return readJob(world);
  } catch (error) {
    tellNoJob(world.runner, visibleLines(reasonOf(error)));
    throw error;
  }
}

/**
 * Agents are code of the same user, and find the files and the log that the runner gave this step. What they put there is taken out, and the
 * runner obeys no command until they are gone.
 */
async function undisturbed<Result>({ world, notes }: Telling, work: () => Promise<Result>): Promise<Result> {
  const restore = world.runner.guard();
  const listen = world.log.hush();
  try {
    return await work();
  } finally {
    listen();
    for (const name of restore())
      notes.add(`runner: something wrote to ${name} while agents ran, and it was put back as it was`);
  }
}

/** A stop that may come at any time, and what is to be ended first when it does. */
interface StopWatch {
  readonly stopped: Promise<Stop>;
  readonly isStopping: () => boolean;
  readonly onOpen: (interrupt: () => Promise<void>) => void;
  readonly end: () => void;
}

function watchStop(world: ActionWorld, minutes: number): StopWatch {
  let interrupt = async (): Promise<void> => {};
  let stopping = false;
  let end = (): void => {};
  const stopped = new Promise<Stop>((resolve) => {
    end = world.onStop(minutes, (stop) => {
      stopping = true;
      // The runner kills what is left a few seconds later: agents have to be gone, and the check concluded, by then.
      void Promise.race([interrupt().catch(() => undefined), world.pause(INTERRUPT_MS)]).then(() => resolve(stop));
    });
  });
  return {
    stopped,
    isStopping: () => stopping,
    onOpen(ending) {
      interrupt = ending;
      // Opened after the stop: nobody would end it.
      if (stopping) void ending().catch(() => undefined);
    },
    end: () => end(),
  };
}

/** Judges until it is done, the job is cancelled, or its time is up; agents are ended before anything is told. */
async function untilStopped(standing: Promise<Standing>, watch: StopWatch): Promise<Ended> {
  const stopped = watch.stopped.then((stop): Ended => ({ kind: 'stopped', stop }));
  if (watch.isStopping()) {
    standing.catch(() => undefined);
    return stopped;
  }
  // Agents that were ended look like agents that failed: what comes of a job after its stop is no verdict.
  const judged = judgeIn(standing, watch).then(
    (ended) => (watch.isStopping() ? stopped : ended),
    (error: unknown) => {
      if (watch.isStopping()) return stopped;
      throw error;
    },
  );
  return Promise.race([judged, stopped]);
}

async function standingIn(world: ActionWorld, job: Job): Promise<Standing> {
  return { world, job, place: await openPlace(world, job) };
}

async function judgeIn(opening: Promise<Standing>, { onOpen }: StopWatch): Promise<Ended> {
  const standing = await opening;
  return { kind: 'judged', standing, judged: await judgeJob(standing, { onOpen }) };
}

const INTERRUPT_MS = 2_000;

interface Told {
  readonly check: OpenCheck | null;
  readonly judged: Judged;
  readonly verdict: Verdict;
}

/** The sinks, one after the other; the log comes first, since nobody can refuse it. None of them decides anything. */
async function tell(telling: Telling, { check, judged, verdict }: Told): Promise<number> {
  const { world, job, notes } = telling;
  const texts = new Texts(verdict, job);
  const { conclusion } = verdict.report;
  const sink = <Result>(name: string, work: () => Promise<Result>) => undecided(notes, { name, work });
  tellLog(telling, { judged, verdict });
  const report = await sink('report', async () => writeReport(telling, texts));
  await sink('check run', () => tellCheck(telling, { check, texts, conclusion: checkConclusion(conclusion, judged) }));
  const pages = (await sink('pages', () => writePages(telling, { judged, folder: report ?? null }))) ?? null;
  const stored = { judged, report: texts.files(), pages };
  const artifactId = (await sink('artifact', () => tellArtifact(telling, stored))) ?? null;
  const number = (await sink('pull request', () => pullNumber(job))) ?? null;
  const bodyFor = (marker: Marker): string => texts.comment(marker, artifactId);
  const confirm = await sink('comment', () =>
    tellComment(telling, { bodyFor, number, failed: conclusion !== 'passed' }),
  );
  await sink('SARIF', () => tellSarif(telling, { texts, number }));
  const folder = report ?? null;
  tellOutputs(telling, { conclusion, report: verdict.report, folder, runs: judged.runs, artifactId });
  tellSummary(telling, texts.summary());
  await sink('comment', async () => confirm?.());
  if (conclusion !== 'passed') world.log.error(`grounding: ${texts.checkTitle()} (${conclusion})`);
  return exitCodeOf(conclusion);
}

function writeReport({ world, job }: Telling, texts: Texts): string {
  const folder = world.files.makeTemporary(job.context.temp);
  for (const [name, text] of texts.files()) world.files.write(join(folder, name), Buffer.from(text));
  return folder;
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
    notes.add(`summary: it cannot be written (${messageOf(error)})`);
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
  tellSummary(telling, `${noVerdict(telling.job)}\n\n${text}\n`);
  telling.world.log.error(text);
  return exitCodeOf('refused');
}

/** An older comment must not go on saying what nobody knows any more. */
async function tellNoVerdict(telling: Telling, text: string): Promise<void> {
  const { job } = telling;
  await tellComment(telling, {
    bodyFor: (marker) => `${markerLine(marker)}\n\n${noVerdict(job)}\n\n${text}${originLine(job, null)}`,
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
  const reason = cutBytes(visibleLines(job.redactor.scrub(reasonOf(error))), MOST_REASON_BYTES);
  const text = `The configuration was refused, or something failed before a verdict:\n\n${fence(reason)}\n`;
  await endCheck(telling, { check, conclusion: 'failure', title: 'no verdict', summary: text });
  await tellNoVerdict(telling, text);
  tellOutputs(telling, { conclusion: 'refused', report: null, folder: null, runs: null, artifactId: null });
  tellSummary(telling, `${noVerdict(job)}\n\n${text}`);
}

/** Half of what a check takes: a file may have more faults than anyone reads, and the check must be concluded all the same. */
const MOST_REASON_BYTES = 32_000;

/** The heading of a text without a report, like the one with a report. */
function noVerdict({ inputs }: Job): string {
  return `## ${code(inputs.checkName)}: ❌ no verdict`;
}

/** One line on what went wrong; a code in brackets at its end says where to read on. */
export function reasonOf(error: unknown): string {
  if (error instanceof GateError) return error.describe();
  return `${oneLine(messageOf(error))}; this is a bug of the Action [internal]`;
}
