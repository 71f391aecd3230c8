import { systemClock } from '../io/clock.js';
import type { Output } from './world.js';

/** A bar that counts finished runs. */
export interface Progress {
  /** Counts so many more, one unless it is said. */
  step(runs?: number): void;
  stop(): void;
}

const NO_PROGRESS: Progress = { step: () => undefined, stop: () => undefined };

/** What a bar says beside its count: how long it has been, or how fast it goes and how long it will be. */
export type ProgressKind = 'duration' | 'rate';

const NS_PER_S = 1e9;

/** A progress bar on a terminal; anywhere else nothing at all, and the library is not even loaded (contract 9). */
export async function startProgress(
  output: Output,
  { total, says = 'duration' }: { readonly total: number; readonly says?: ProgressKind },
): Promise<Progress> {
  if (!output.isTerminal) return NO_PROGRESS;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    stream: output.stream,
    format: `{bar} {value}/{total} runs, ${says === 'rate' ? '{rate}/s, {eta_formatted} left' : '{duration_formatted}'}`,
    barCompleteChar: '#',
    barIncompleteChar: '-',
    barsize: Math.min(40, Math.max(10, (output.columns ?? 80) - 30)),
    // Left as they are: an interrupted command could not set them back.
    hideCursor: false,
    linewrap: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { rate: 0 });
  const clock = systemClock();
  const begun = clock.nowNs();
  let done = 0;
  return {
    step(runs = 1) {
      done += runs;
      const seconds = Number(clock.nowNs() - begun) / NS_PER_S;
      bar.update(done, { rate: Math.round(done / Math.max(seconds, 0.001)) });
    },
    stop: () => bar.stop(),
  };
}
