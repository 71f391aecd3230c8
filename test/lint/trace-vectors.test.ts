// Issue 6 and attacks.md over test/vectors/traces (see its README): whole span files, with their answers.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judge, readEnvelope } from '../../core/lint/index.js';
import { readSpans } from '../../core/trace/index.js';

const VECTORS = fileURLToPath(new URL('../vectors/traces', import.meta.url));

interface Vector {
  readonly title: string;
  readonly file: string;
  readonly mode: string;
  readonly rules: readonly string[];
  readonly retrievals: number;
  readonly chats: number;
  readonly unknown: readonly string[];
}
type Refusal = Pick<Vector, 'title' | 'file'> & { readonly refused: string };

const linesOf = <Line>(name: string) =>
  readFileSync(`${VECTORS}/${name}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const read = (file: string) => readSpans(Buffer.from(file), { file: 'spans' });

describe.each(['closed-world', 'losses', 'hidden-calls', 'types'])('the vectors of %s', (name) => {
  it.each(linesOf<Vector>(`${name}.jsonl`).map((vector) => [vector.mode, vector.title, vector] as const))(
    'are judged as they say: mode %s, %s',
    (mode, _title, { file, rules, retrievals, chats, unknown }) => {
      const envelope = readEnvelope(readFileSync(`${VECTORS}/envelope.${mode}.json`), { file: 'envelope.json' });
      const report = judge(read(file), envelope);
      expect({
        rules: report.rules,
        retrievals: report.retrievals,
        chats: report.chats,
        unknown: (report.unknown ?? []).map((one) => one.name),
      }).toEqual({ rules, retrievals, chats, unknown });
    },
  );
});

describe('the vectors of refused', () => {
  it.each(linesOf<Refusal>('refused.jsonl').map((vector) => [vector.title, vector] as const))(
    'cannot be read: %s',
    (_title, { file, refused }) => {
      expect(() => read(file)).toThrow(expect.objectContaining({ code: refused, blame: 'unreadable' }));
    },
  );
});
