import { GateError, messageOf, oneLine } from '../model/errors.js';
import { exitCodeOf } from '../report/conclusion.js';
import { parseArguments } from './parse-arguments.js';
import type { World } from './world.js';

/** Carries out one call of the command line and gives its exit code (contract 9); whatever went wrong is one line on standard error. */
export async function runCli(world: World): Promise<0 | 1 | 2> {
  try {
    const parsed = parseArguments(world.args);
    if (parsed.kind === 'text') {
      await world.out.write(parsed.text);
      return exitCodeOf('passed');
    }
    const { execute } = await parsed.command.load();
    return exitCodeOf(await execute({ world, args: parsed.args, options: parsed.options }));
  } catch (error) {
    await world.err.write(`${errorText(error, world.args.includes('--debug'))}\n`);
    return exitCodeOf('refused');
  }
}

/** One line about an error; with `debug` its stack and causes below. */
export function errorText(error: unknown, debug: boolean): string {
  const line = `error: ${error instanceof GateError ? error.describe() : internalLine(error)}`;
  return debug ? `${line}\n${stackOf(error)}` : line;
}

function internalLine(error: unknown): string {
  const message = messageOf(error);
  return `${oneLine(message)}; this is a bug, --debug shows where [internal]`;
}

/** The stack of an error and of its causes; the messages in it may be hostile, so that only its line breaks stay. */
function stackOf(error: unknown): string {
  const lines: string[] = [];
  for (let one = error, depth = 0; one instanceof Error && depth < 10; one = one.cause, depth++)
    lines.push(...(depth > 0 ? ['caused by'] : []), ...String(one.stack).split('\n').map(oneLine));
  return lines.join('\n');
}
