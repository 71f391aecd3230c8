import type { Finding, FindingLevel } from './finding.js';
import { cutBytes, visible } from './visible.js';

/** The levels of the Checks API. */
export type AnnotationLevel = 'failure' | 'warning' | 'notice';

/** One annotation; `line` and `column` are null when only the file is known. All text is safe to hand over. */
export interface Annotation {
  readonly level: AnnotationLevel;
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly title: string;
  readonly message: string;
}

/** The Checks API takes a title of 255 characters and a message of 64 KB; both are counted as bytes of UTF-8. */
const TITLE_BYTES = 255;
const MESSAGE_BYTES = 64 * 1024;

/**
 * The findings as annotations, worst first, expected ones left out. `of` says how many there are when `maximum` cuts them.
 */
export function annotationsOf(
  findings: readonly Finding[],
  maximum = Number.POSITIVE_INFINITY,
): { readonly annotations: readonly Annotation[]; readonly of: number } {
  const shown = findings.filter(({ level }) => level !== 'note');
  return { annotations: shown.slice(0, maximum).map(annotationOf), of: shown.length };
}

const LEVELS = { error: 'failure', warning: 'warning', note: 'notice' } as const satisfies Record<
  FindingLevel,
  AnnotationLevel
>;

function annotationOf({ rule, level, title, message, mend, place, fixture, run }: Finding): Annotation {
  const about = [
    ...(fixture === null ? [] : [`fixture: ${fixture}`]),
    ...(run === null ? [] : [`run: ${run}`]),
    `mend: ${mend}`,
  ];
  const tail = about.map(visible).join('\n');
  const room = MESSAGE_BYTES - Buffer.byteLength(tail) - 1;
  return {
    level: LEVELS[level],
    path: place.file,
    line: place.line,
    column: place.line === null ? null : place.column,
    title: cutBytes(visible(`${rule}: ${title}`), TITLE_BYTES),
    message: cutBytes(`${cutBytes(visible(message), Math.max(room, 1_000))}\n${tail}`, MESSAGE_BYTES),
  };
}
