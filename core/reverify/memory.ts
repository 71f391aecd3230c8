import { createHash } from 'node:crypto';
import { canonicalisationNames } from '../json/index.js';
import { CONTRACT_VERSION } from '../model/outcome.js';
import { GROUNDING_RULES, SOURCE_RULES } from '../model/violation.js';
import type { SourceCopies } from '../sources/index.js';
import type { RunContents } from '../store/index.js';
import { pinOf } from './cited-pins.js';
import type { SoloVerdict } from './solo.js';

/** Everything but a run's bytes and its pins that a verdict depends on: another engine's verdicts are not taken. */
export function engineName(version: string): string {
  return [version, CONTRACT_VERSION, ...GROUNDING_RULES, ...SOURCE_RULES, ...canonicalisationNames()].join(' ');
}

/** SHA-256 over a run's name and the bytes of each of its files, lengths included, under an engine. */
export function runKey(run: { readonly name: string; readonly contents: RunContents }, engine: string): string {
  const digest = createHash('sha256');
  digest.update(JSON.stringify([engine, run.name]));
  for (const [file, bytes] of Object.entries(run.contents)) {
    digest.update(`\n${file} ${bytes === undefined ? 'absent' : bytes.byteLength}\n`);
    if (bytes !== undefined) digest.update(bytes);
  }
  return digest.digest('hex');
}

/** A line of the cache without its seal: name, key and verdict, separated by tabs, which JSON texts do not hold. */
export function memoryOf(run: { readonly name: string; readonly key: string }, solo: SoloVerdict): string {
  return [JSON.stringify(run.name), run.key, JSON.stringify(solo)].join('\t');
}

/** The name of the run that a line of the cache is about; undefined when it is no such line. */
export function rememberedName(line: string): string | undefined {
  const end = line.indexOf('\t');
  const name = end === -1 ? undefined : attempt(() => JSON.parse(line.slice(0, end)));
  return typeof name === 'string' ? name : undefined;
}

/**
 * The verdict in a line of the cache, when it is of these bytes, of this engine, and every copy that it rests on is pinned
 * as it was. The line must come from a cache that may be trusted: its verdict is taken as it stands.
 */
export function recall(line: string, now: { readonly key: string; readonly copies: SourceCopies }): SoloVerdict | null {
  const [, key, text] = line.split('\t');
  if (key !== now.key || text === undefined) return null;
  const solo = attempt(() => JSON.parse(text) as SoloVerdict);
  if (solo?.kind !== 'judged') return null;
  return solo.pins.every(([ref, pin]) => pinOf(ref, now.copies) === pin) ? solo : null;
}

function attempt<Value>(step: () => Value): Value | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
