import type { World } from './world.js';

/**
 * Waits until the user ends a command that would go on for ever, and closes what it opened. Ending such a command is no failure, so
 * that its exit code is the command's own and not that of the signal.
 */
export function untilInterrupted(world: World, close: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    world.takeInterrupts(() => void close().then(resolve, reject));
  });
}
