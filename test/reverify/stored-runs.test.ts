import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredRunVerdict } from '../../core/model/stored-run.js';
import { verdictsOn } from './archive.js';

// Runs made and judged by the reference; expected.jsonl holds its verdicts. Nothing is written there.
const VECTORS = join(import.meta.dirname, '../vectors/stored-runs');

interface Expected {
  readonly run: string;
  readonly passed: boolean;
  readonly changes: readonly string[];
  readonly grounding: { readonly rules: readonly string[]; readonly retrievals: number; readonly chats: number };
  readonly sources: { readonly rules: readonly string[]; readonly verified: number; readonly unresolved: number };
}

const expected: readonly Expected[] = readFileSync(join(VECTORS, 'expected.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

let verdicts: ReadonlyMap<string, StoredRunVerdict>;
let before: string;
beforeAll(async () => {
  before = digestOf(VECTORS);
  verdicts = new Map((await verdictsOn(join(VECTORS, 'runs'))).map((one) => [one.run, one]));
});

describe('the stored runs of the reference', () => {
  it('has a verdict for each of the 260, and nothing is written', () => {
    expect([...verdicts.keys()]).toEqual(expected.map(({ run }) => run).sort());
    expect(verdicts.size).toBe(260);
    expect(digestOf(VECTORS)).toBe(before);
  });

  it.each(expected)('returns rules, counts and passed for $run ($changes)', ({ run, passed, changes, ...theirs }) => {
    const { state, grounding, sources } = verdicts.get(run) ?? {};
    expect({
      grounding: {
        rules: [...(grounding?.rules ?? [])].sort(),
        retrievals: grounding?.retrievals,
        chats: grounding?.chats,
      },
      sources: {
        rules: [...(sources?.rules ?? [])].sort(),
        verified: sources?.verified,
        unresolved: sources?.unresolved.length,
      },
    }).toEqual(theirs);
    expect(state === 'passed').toBe(passed);
    // The index was made after the changes, so that only a changed input hash shows beside request.json.
    if (changes.includes('m_input_hash')) expect(state).toBe('tampered');
    else expect(['passed', 'failed']).toContain(state);
  });
});

/** One digest over the names, times and bytes of everything below a folder. */
function digestOf(folder: string): string {
  const digest = createHash('sha256');
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    digest.update(`${path} ${statSync(path).mtimeMs}\n`);
    if (entry.isFile()) digest.update(readFileSync(path));
  }
  return digest.digest('hex');
}
