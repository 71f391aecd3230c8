import { type ErrorCode, gateError } from '../model/error-codes.js';
import type { Place } from '../model/violation.js';

/** One thing that is wrong with a configuration file. */
export interface Fault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly remedy: string;
  readonly place: Place;
}

/** Collects the faults of one file, so that its author hears of all of them at once. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(fault: Fault): void {
    this.#faults.push(fault);
  }

  /** Throws the first fault in file order, with the others in its message; does nothing when there is none. */
  settle(): void {
    const [first, ...others] = this.#faults.toSorted(byPlace);
    if (first === undefined) return;
    const more = others.map((fault) => `; line ${fault.place.line}, column ${fault.place.column}: ${fault.message}`);
    throw gateError(first.code, {
      blame: 'configuration',
      message: first.message + more.join(''),
      remedy: first.remedy,
      place: first.place,
    });
  }
}

function byPlace(one: Fault, other: Fault): number {
  return one.place.line - other.place.line || one.place.column - other.place.column;
}
