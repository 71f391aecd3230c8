import type { ErrorCode } from '../model/error-codes.js';
import { GateError } from '../model/errors.js';
import type { Place } from '../model/violation.js';
import type { DoctorCheck } from './checks.js';

/** Something that would make the gate blind or red. */
export interface SetupFinding {
  readonly check: DoctorCheck | ErrorCode;
  readonly file: string;
  /** From 1; null where only the file is known. */
  readonly line: number | null;
  readonly message: string;
  /** An imperative clause without a full stop. */
  readonly remedy: string;
  /** False where this kept the doctor from looking any further. */
  readonly looked: boolean;
}

/** What a finding of the doctor's own says, and where. */
export interface FindingInit {
  readonly check: DoctorCheck;
  readonly place: { readonly file: string; readonly line?: number } | Place;
  readonly message: string;
  readonly remedy: string;
}

/** Makes a finding of the doctor's own. */
export function setupFinding({ check, place, message, remedy }: FindingInit): SetupFinding {
  return { check, file: place.file, line: place.line ?? null, message, remedy, looked: true };
}

/** A refusal of a part of the gate as a finding; `file` is told where it names none. Anything but a GateError is thrown on. */
export function findingOf(error: unknown, file: string): SetupFinding {
  if (!(error instanceof GateError)) throw error;
  return {
    // Every GateError of the core is made with a code of the table.
    check: error.code as ErrorCode,
    file: error.place?.file ?? file,
    line: error.place?.line ?? null,
    message: error.message,
    remedy: error.remedy ?? 'mend it and look again',
    looked: error.code !== 'config-unreadable',
  };
}
