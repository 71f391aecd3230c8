import { gateError } from '../model/error-codes.js';

/** The flags of a call, as commander left them; every method takes a flag's long name, as in `fail-fast`. */
export class Options {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /** The text of a flag; undefined when it was not given. */
  text(name: string): string | undefined {
    const value = this.#values.get(attributeOf(name));
    return typeof value === 'string' ? value : undefined;
  }

  /** The texts of a flag that may be repeated. */
  texts(name: string): readonly string[] {
    const value = this.#values.get(attributeOf(name));
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** Whether a flag without a value was given. */
  given(name: string): boolean {
    return this.#values.get(attributeOf(name)) === true;
  }

  /** Whether the `--no-` form of a flag was given. */
  refused(name: string): boolean {
    return this.#values.get(attributeOf(name)) === false;
  }

  /** The text of a flag that a command cannot do without; throws `usage`. */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw usage(`--${name} is missing`, `add --${name}, or see --help`);
    return value;
  }

  /** One of a closed set of texts, which commander has already checked; undefined when the flag was not given. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    return choices.find((choice) => choice === value);
  }

  /** A whole number from 1 to 1,000; throws `usage` for anything else. */
  count(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[1-9][0-9]{0,3}$/.test(value) || Number(value) > 1000)
      throw usage(`--${name} is ${JSON.stringify(value)}`, 'give a whole number from 1 to 1000');
    return Number(value);
  }
}

/** The name under which commander keeps a flag: `fail-fast` as `failFast`. */
function attributeOf(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The error for arguments that make no call (contract 9: exit 2). */
export function usage(message: string, remedy: string): Error {
  return gateError('usage', { blame: 'caller', message, remedy });
}
