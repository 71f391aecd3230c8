import { GateError } from '../../core/model/errors.js';

/** What a refusal said, flattened for `toMatchObject`. */
export interface Refusal {
  readonly code: string;
  readonly blame: string;
  readonly message: string;
  readonly remedy: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** Runs an action that must throw a `GateError` and says what it threw; any other end fails the test. */
export function codeOf(action: () => unknown): Refusal {
  let result: unknown;
  try {
    result = action();
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const { code, blame, message, remedy, place } = error;
    return { code, blame, message, remedy, file: place?.file, line: place?.line, column: place?.column };
  }
  throw new Error(`nothing was refused; the action returned ${String(result)}`);
}
