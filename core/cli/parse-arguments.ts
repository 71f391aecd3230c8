import { Command as Commander, CommanderError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { oneLine } from '../model/errors.js';
import type { Command, Flag } from './command.js';
import { COMMANDS } from './commands.js';
import { Options, usage } from './options.js';

/** What the arguments ask for: a text to show, or a command to carry out. */
export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly args: readonly string[];
      readonly options: Options;
    };

/** Reads the arguments after the program's name; throws GateError `usage` for what makes no call. */
export function parseArguments(args: readonly string[]): Parsed {
  let parsed: Parsed | undefined;
  let shown = '';
  const program = new Commander('grounding')
    .description('Deterministic grounding checks for runs of AI agents.')
    .version(manifest.version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        shown += text;
      },
      writeErr: () => {},
    });
  for (const command of COMMANDS) {
    addCommand(program, command, (call) => {
      parsed = call;
    });
  }
  if (args.length === 0)
    throw usage('no command is given', `use one of ${COMMANDS.map((one) => one.name).join(', ')}, or --help`);
  try {
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usage(clause(error.message), 'see --help');
  }
  return parsed ?? { kind: 'text', text: shown };
}

function addCommand(program: Commander, command: Command, take: (call: Parsed) => void): void {
  const target = program
    .command(command.name)
    .description(command.means)
    .helpOption('-h, --help', 'show this help')
    .addHelpText('after', `\nExample:\n  ${command.example}`)
    .allowExcessArguments(false);
  for (const [syntax, means] of command.positionals) target.argument(syntax, means);
  for (const flag of [...command.flags, DEBUG]) target.addOption(optionOf(flag));
  target.action(() => {
    const args = target.processedArgs.flat().filter((arg) => typeof arg === 'string');
    refuseEmpty({ args, flags: target.opts() });
    take({ kind: 'command', command, args, options: new Options(new Map(Object.entries(target.opts()))) });
  });
}

/** An empty text is mostly a variable that was not set, and as a path it would be the folder itself. */
function refuseEmpty({ args, flags }: { readonly args: readonly string[]; readonly flags: object }): void {
  if (args.includes('')) throw usage('an argument is empty', 'give a value, or leave the argument out');
  const empty = Object.entries(flags).find(([, value]) => [value].flat().includes(''));
  if (empty === undefined) return;
  const flag = empty[0].replaceAll(/[A-Z]/g, (letter: string) => `-${letter.toLowerCase()}`);
  throw usage(`--${flag} is empty`, 'give a value, or leave the flag out');
}

const DEBUG: Flag = { flags: '--debug', means: 'show the stack of an error' };

function optionOf(flag: Flag): Option {
  const option = new Option(flag.flags, flag.means);
  if (flag.choices !== undefined) option.choices([...flag.choices]);
  if (flag.repeats)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

/** Commander's message as a clause of ours: without its prefix, on one line. */
function clause(message: string): string {
  return oneLine(
    message
      .replace(/^error: /, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}
