import { oneLine } from '../model/errors.js';
import type { Palette } from './palette.js';

/** What changed since an earlier report, as far as a text says it. */
export interface DriftFacts {
  readonly newFailures: readonly string[];
  readonly healed: readonly string[];
  readonly still: number;
  readonly gone: readonly string[];
  /** RFC 3339; null when no failure says since when it is one. */
  readonly failingSince: string | null;
}

/** A change of many runs at once lists so many of them; the rest is in the JSON. */
const LISTED = 50;

/** What changed since an earlier report: new failures first, then what healed. */
export function driftText(drift: DriftFacts, palette: Palette): string {
  const parts = [
    `${drift.newFailures.length} new ${drift.newFailures.length === 1 ? 'failure' : 'failures'}`,
    `${drift.healed.length} healed`,
    `${drift.still} failing still${drift.still > 0 && drift.failingSince !== null ? `, the first since ${oneLine(drift.failingSince)}` : ''}`,
    ...(drift.gone.length > 0 ? [`${drift.gone.length} gone`] : []),
  ];
  const lists = [
    ...listed(drift.newFailures, (name) => palette.bad(`new failure: ${name}`)),
    ...listed(drift.healed, (name) => palette.good(`healed: ${name}`)),
    ...listed(drift.gone, (name) => palette.doubtful(`gone: ${name}`)),
  ];
  return `drift: ${parts.join(', ')}\n${lists.map((line) => `  - ${line}\n`).join('')}`;
}

function listed(names: readonly string[], line: (name: string) => string): string[] {
  const more = names.length - LISTED;
  return [
    ...names.slice(0, LISTED).map((name) => line(oneLine(name))),
    ...(more > 0 ? [line(`and ${more} more`)] : []),
  ];
}
