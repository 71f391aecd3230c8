// The table of dialects, row by row, against test/vectors/dialects (see its README).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judge, readEnvelope } from '../../core/lint/index.js';
import { isPermissive } from '../../core/trace/dialects/row.js';
import { classify, DIALECTS, readSpans } from '../../core/trace/index.js';

const VECTORS = fileURLToPath(new URL('../vectors/dialects', import.meta.url));
const ENVELOPE = readEnvelope(readFileSync(`${VECTORS}/envelope.json`), { file: 'envelope.json' });

interface Example {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | null>>;
  readonly events: readonly string[];
}
interface RowVector {
  readonly dialect: string;
  readonly says: string;
  readonly sign: object;
  readonly also?: object;
  readonly seen: string;
  readonly positive: Example;
  readonly role: string;
  readonly near_miss: Example;
  readonly near_role: string;
}

const ROWS = readFileSync(`${VECTORS}/rows.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RowVector);

/** The same span through the function, and through a file in the shape of contract 4, which remembers shapes. */
const rolesOf = ({ name, attributes, events }: Example) => {
  const present = Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [{ key, texts: [value] }],
  );
  const line = JSON.stringify({
    name,
    context: { trace_id: '0x1', span_id: '0x2' },
    attributes,
    events: events.map((event) => ({ name: event })),
  });
  const twice = readSpans(Buffer.from(`${line}\n${line}\n`), { file: 'spans.jsonl' });
  return new Set([classify({ name, attributes: present, events }).role, ...twice.map(({ role }) => role)]);
};

const keyOf = ({ says, sign, also }: { readonly says: string; readonly sign: object; readonly also?: object }) =>
  JSON.stringify([says, sign, also ?? null]);

describe('the table of dialects', () => {
  it('has a vector for each of its rows, and no vector without its row', () => {
    const table = DIALECTS.flatMap((dialect) => dialect.rows).map(keyOf);
    expect(new Set(table)).toEqual(new Set(ROWS.map(keyOf)));
    expect(new Set(table).size).toBe(table.length);
    expect(table.length).toBeGreaterThanOrEqual(100);
  });

  it.each(DIALECTS.flatMap(({ name, rows }) => rows.map((row) => [name, JSON.stringify(row.sign), row] as const)))(
    'knows %s %s in capitals and with a character that nobody sees, unless the row may only explain',
    (_dialect, _sign, row) => {
      const vector = ROWS.find((one) => keyOf(one) === keyOf(row));
      if (vector === undefined) throw new Error('the row has no vector');
      const odd = (text: string) => `${text.slice(0, 1)}\u200b${text.slice(1)}`.toUpperCase();
      const { name, attributes, events } = vector.positive;
      const hidden = {
        name: name === 'step' ? name : odd(name),
        attributes: Object.fromEntries(
          Object.entries(attributes).map(([key, value]) => [odd(key), value === null ? null : odd(value)]),
        ),
        events: events.map(odd),
      };
      expect(rolesOf(hidden)).toEqual(new Set([isPermissive(row.says) ? 'other' : vector.role]));
    },
  );

  it('names an emitter and a version for each row', () => {
    for (const { seen } of ROWS) expect(seen).toMatch(/\S.*\d|20\d\d/);
  });

  it.each(ROWS.map((row) => [row.dialect, row.says, JSON.stringify(row.sign), row] as const))(
    'knows %s %s by %s, and does not by what is nearly that',
    (_dialect, _says, _sign, row) => {
      expect(rolesOf(row.positive)).toEqual(new Set([row.role]));
      expect(rolesOf(row.near_miss)).toEqual(new Set([row.near_role]));
    },
  );
});

describe('a none run with one model call', () => {
  it('stands in the vectors for each dialect', () => {
    expect(readdirSync(`${VECTORS}/runs`).sort()).toEqual(DIALECTS.map(({ name }) => name).sort());
  });

  it.each(
    readdirSync(`${VECTORS}/runs`).flatMap((dialect) =>
      ['spans.jsonl', 'console.txt', 'otlp.json'].map((file) => [dialect, file] as const),
    ),
  )('breaks N1, and nothing else, in the words of %s as %s', (dialect, file) => {
    const report = judge(readSpans(readFileSync(`${VECTORS}/runs/${dialect}/${file}`), { file }), ENVELOPE);
    expect({ rules: report.rules, chats: report.chats }).toEqual({ rules: ['N1'], chats: 1 });
  });
});

describe('a none run in the spans that a real library wrote', () => {
  it.each([
    ['ai-generate', ['N1'], 0, 2],
    ['ai-embed', ['N1'], 0, 0],
    ['openinference-openai', ['N1'], 0, 1],
    ['traceloop-openai', ['N1'], 0, 1],
    ['openinference-langchain', ['N1'], 0, 1],
    ['openinference-langchain-retriever', ['R1'], 1, 0],
  ])('is judged by what %s called', (library, rules, retrievals, chats) => {
    const file = `${VECTORS}/emitted/${library}.json`;
    const report = judge(readSpans(readFileSync(file), { file }), ENVELOPE);
    expect({ rules: report.rules, retrievals: report.retrievals, chats: report.chats }).toEqual({
      rules,
      retrievals,
      chats,
    });
  });

  it('is the same when every name is taken away, for the attributes alone tell', () => {
    for (const library of ['ai-generate', 'openinference-openai', 'traceloop-openai', 'openinference-langchain']) {
      const text = readFileSync(`${VECTORS}/emitted/${library}.json`, 'utf8');
      const nameless = text.replace(/("name": )"(?!invoke_agent")[^"]*"/g, '$1"step"');
      expect(judge(readSpans(Buffer.from(nameless), { file: library }), ENVELOPE).rules).toEqual(['N1']);
    }
  });
});
