import type { Annotation, AnnotationLevel } from './annotations.js';
import { visible } from './visible.js';

/** GitHub keeps ten errors and ten warnings of a step. */
const PER_LEVEL = 10;

const COMMANDS = { failure: 'error', warning: 'warning', notice: 'notice' } as const satisfies Record<
  AnnotationLevel,
  string
>;

/**
 * Annotations as commands in a workflow's log, a line each, for a run that may not write checks. GitHub shows ten of a level
 * in a step; those after them stand as plain lines, so that every finding is in the log.
 */
export function renderLogCommands(annotations: readonly Annotation[]): string {
  const counts = new Map<AnnotationLevel, number>();
  return annotations
    .map((annotation) => {
      const count = (counts.get(annotation.level) ?? 0) + 1;
      counts.set(annotation.level, count);
      return `${count > PER_LEVEL ? plainLine(annotation) : commandLine(annotation)}\n`;
    })
    .join('');
}

function commandLine({ level, path, line, column, title, message }: Annotation): string {
  const properties = { file: visible(path), line, col: column, title };
  const written = Object.entries(properties)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${property(String(value))}`);
  return `::${COMMANDS[level]} ${written.join(',')}::${data(message)}`;
}

function plainLine({ level, path, line, title, message }: Annotation): string {
  const where = line === null ? path : `${path}:${line}`;
  return visible(`${COMMANDS[level]}: ${where}: ${title}: ${message.replaceAll('\n', '; ')}`);
}

/** Escaped as the runner reads it: `%`, then line ends; in a property also what separates properties. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
