import type { Conclusion } from '../report/conclusion.js';
import type { Options } from './options.js';
import type { World } from './world.js';

/** A flag of a command, in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly means: string;
  readonly choices?: readonly string[];
  /** The flag may be given several times. */
  readonly repeats?: true;
}

/** A command as it was called: its positional arguments in order (variadic ones flattened) and its flags. */
export interface Call {
  readonly world: World;
  readonly args: readonly string[];
  readonly options: Options;
}

/** What a command's own file exports. */
export interface CommandModule {
  execute(call: Call): Promise<Conclusion>;
}

/** A command as the table in commands.ts lists it; its file is loaded when it is called, and no other. */
export interface Command {
  readonly name: string;
  readonly means: string;
  /** Positional arguments in commander's notation (`<file>`, `[fixture...]`) with what they mean. */
  readonly positionals: readonly (readonly [syntax: string, means: string])[];
  readonly flags: readonly Flag[];
  /** One line that works, shown by `--help`. */
  readonly example: string;
  readonly load: () => Promise<CommandModule>;
}
