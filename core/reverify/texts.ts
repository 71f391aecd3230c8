import { utf8Text } from '../json/index.js';
import type { GroundingReport } from '../model/report.js';
import type { Tampering } from '../model/stored-run.js';
import { groundingText } from '../report/grounding-text.js';

/** A stored text; bytes that are no UTF-8 become replacement characters, which no verdict of ours holds. */
export function textOf(bytes: Uint8Array): string {
  return utf8Text(bytes);
}

/** The first line of a stored text, without its line feed. */
export function firstLineOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0x0a);
  return textOf(end === -1 ? bytes : bytes.subarray(0, end));
}

/** Compares a stored grounding.txt with today's verdict: the first line, and the rules as a set (contract 10). */
export function testGroundingText(stored: Uint8Array | undefined, report: GroundingReport): Tampering[] {
  if (stored === undefined) return [];
  const ours = groundingText(report);
  const first = firstLineOf(stored);
  const expected = ours.slice(0, ours.indexOf('\n'));
  if (first !== expected)
    return [{ test: 'grounding-text', message: `grounding.txt says ${JSON.stringify(short(first))}, not ${expected}` }];
  const theirs = rulesIn(textOf(stored));
  const same = theirs.size === report.rules.length && report.rules.every((rule) => theirs.has(rule));
  if (same) return [];
  const listed = [...theirs].sort().join(', ') || 'none';
  const found = [...report.rules].sort().join(', ') || 'none';
  return [{ test: 'grounding-text', message: `grounding.txt lists the rules ${short(listed)}, not ${found}` }];
}

/** The ids before the colon of every item below the first line. */
export function rulesIn(text: string): ReadonlySet<string> {
  const rules = new Set<string>();
  for (const [, rule] of text.matchAll(/^ {2}- ([^\s:]{1,64}):/gm)) if (rule !== undefined) rules.add(rule);
  return rules;
}

function short(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
