import { type Composable, composeJson } from '../json/index.js';
import { oneLine } from '../model/errors.js';

/**
 * A document as indented JSON that is safe on a terminal: characters that would steer one stand as `\uXXXX`, which
 * changes neither the document nor its hash.
 */
export function jsonText(document: Composable): string {
  const lines = Buffer.from(composeJson(document)).toString('utf8').split('\n');
  return `${lines.map(oneLine).join('\n')}\n`;
}
