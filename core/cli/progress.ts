import type { Output } from './world.js';

/** A bar that counts finished runs. */
export interface Progress {
  step(): void;
  stop(): void;
}

const NO_PROGRESS: Progress = { step: () => undefined, stop: () => undefined };

/** A progress bar on a terminal; anywhere else nothing at all, and the library is not even loaded (contract 9). */
export async function startProgress(output: Output, total: number): Promise<Progress> {
  if (!output.isTerminal) return NO_PROGRESS;
  const { SingleBar } = (await import('cli-progress')).default;
  const bar = new SingleBar({
    stream: output.stream,
    format: '{bar} {value}/{total} runs, {duration_formatted}',
    barCompleteChar: '#',
    barIncompleteChar: '-',
    barsize: Math.min(40, Math.max(10, (output.columns ?? 80) - 30)),
    // Left as they are: an interrupted command could not set them back.
    hideCursor: false,
    linewrap: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  return { step: () => bar.increment(), stop: () => bar.stop() };
}
