import type { Call } from '../http/call.js';
import { invalidRequest } from '../http/errors.js';
import type { Annotation } from '../state/records.js';

// GitHub says characters and counts bytes of UTF-8 (rest-api-description#5399).
const LONGEST_OUTPUT = 65_535;
const MOST_ANNOTATIONS = 50;
const LONGEST_MESSAGE = 64 * 1024;
const LONGEST_TITLE = 255;

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');

type Output = {
  readonly title?: string;
  readonly summary?: string;
  readonly text?: string;
  readonly annotations?: readonly Annotation[];
};

/** Refuses a check run's output that is over GitHub's limits. */
export function checkOutputLimits(call: Call, output: Output | undefined): void {
  if (output === undefined) return;
  for (const [name, text] of Object.entries({ title: output.title, summary: output.summary, text: output.text }))
    if (text !== undefined && bytes(text) > LONGEST_OUTPUT)
      throw invalidRequest(`Only ${LONGEST_OUTPUT} characters are allowed in ${name}; ${bytes(text)} were supplied.`);
  const annotations = output.annotations ?? [];
  if (annotations.length > MOST_ANNOTATIONS)
    throw invalidRequest(`No more than ${MOST_ANNOTATIONS} items are allowed; ${annotations.length} were supplied.`);
  for (const annotation of annotations) checkAnnotation(call, annotation);
}

function checkAnnotation(call: Call, annotation: Annotation): void {
  const { start_line, end_line, start_column, end_column, title, message, raw_details, path } = annotation;
  if (bytes(message) > LONGEST_MESSAGE || bytes(raw_details ?? '') > LONGEST_MESSAGE)
    throw invalidRequest('An annotation holds at most 64 KB.');
  if ([...(title ?? '')].length > LONGEST_TITLE)
    throw invalidRequest('The title is too long (maximum is 255 characters).');
  if (end_line < start_line) throw invalidRequest('start_line must be less than or equal to end_line.');
  const hasColumns = start_column !== undefined || end_column !== undefined;
  if (hasColumns && start_line !== end_line)
    throw invalidRequest('Columns are only allowed when start_line and end_line are the same.');
  // GitHub takes these and shows them nowhere.
  if (start_line < 1) call.complain(`annotation of ${path}: lines are counted from 1`);
  if (path.startsWith('/') || path.startsWith('./') || path.includes('\\'))
    call.complain(`annotation path ${path} is not relative to the repository's root`);
  if (message === '') call.complain(`annotation of ${path} has no message`);
}
