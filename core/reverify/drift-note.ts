import type { JsonNode } from '../json/index.js';
import { InstantReader } from '../trace/index.js';
import { timestampOf } from '../trace/timestamp.js';

/**
 * How a run stands to the report before. `still` is a failure that was one then, by nothing that was not found then; a
 * failing run that was tampered with meanwhile, or breaks another rule, is `new`.
 */
export const DRIFT_KINDS = ['new', 'still', 'healed', 'unchanged'] as const;
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** What a run's verdict is beside the one before. */
export interface DriftNote {
  readonly kind: DriftKind;
  /** When a failing run was first seen failing, RFC 3339; null when nobody wrote it down; undefined for others. */
  readonly failingSince?: string | null;
}

/** What a line of a report says of the report before it; undefined when that is malformed. */
export function readNote(row: JsonNode): Partial<DriftNote> | undefined {
  const drift = row.get('drift');
  const kind = DRIFT_KINDS.find((one) => one === drift?.string());
  if (drift !== undefined && kind === undefined) return undefined;
  const since = row.get('failing_since');
  const time = since?.string();
  if (since !== undefined && !since.isNull && !isTimestamp(time)) return undefined;
  return { ...(kind === undefined ? {} : { kind }), ...(since === undefined ? {} : { failingSince: time ?? null }) };
}

/** A time as reports write it, so that two can be compared as texts. */
function isTimestamp(time: string | undefined): boolean {
  const instant = time === undefined ? undefined : new InstantReader().read(time);
  return instant !== undefined && timestampOf(instant) === time;
}
