import { oneLine } from '../model/errors.js';
import { type Palette, paletteOf } from './palette.js';

/** What changed since an earlier report, as far as a text says it. */
export interface DriftFacts {
  readonly newFailures: readonly string[];
  readonly healed: readonly string[];
  readonly still: number;
  readonly unchanged: number;
  readonly gone: readonly string[];
  /** RFC 3339; null when no failure says since when it is one. */
  readonly failingSince: string | null;
}

/** A change of many runs at once lists so many of them; the rest is in the lines of the JSON, but for what is gone. */
const LISTED = 50;

/** What changed since an earlier report: new failures first, then what healed. */
export function driftText(drift: DriftFacts, palette: Palette): string {
  const [first = '', ...rest] = driftLines(drift, palette);
  return `${first}\n${rest.map((line) => `  - ${line}\n`).join('')}`;
}

/** The same a line each, the sum first; without colours where it goes into a document. */
export function driftLines(drift: DriftFacts, palette: Palette = paletteOf(false)): readonly string[] {
  const parts = [
    `${drift.newFailures.length} new ${drift.newFailures.length === 1 ? 'failure' : 'failures'}`,
    `${drift.healed.length} healed`,
    `${drift.still} failing still${drift.still > 0 && drift.failingSince !== null ? `, the first since ${oneLine(drift.failingSince)}` : ''}`,
    `${drift.unchanged} unchanged`,
    ...(drift.gone.length > 0 ? [`${drift.gone.length} gone`] : []),
  ];
  const lists = [
    ...listed(drift.newFailures, (name) => palette.bad(`new failure: ${name}`)),
    ...listed(drift.healed, (name) => palette.good(`healed: ${name}`)),
    ...listed(drift.gone, (name) => palette.doubtful(`gone: ${name}`)),
  ];
  return [`drift: ${parts.join(', ')}`, ...lists];
}

function listed(names: readonly string[], line: (name: string) => string): string[] {
  const more = names.length - LISTED;
  return [
    ...names.slice(0, LISTED).map((name) => line(oneLine(name))),
    ...(more > 0 ? [line(`and ${more} more`)] : []),
  ];
}
