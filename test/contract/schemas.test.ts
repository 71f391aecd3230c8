import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { validateEnvelope, validateRequest } from '../../core/contract/documents.js';
import { parseJson } from '../../core/json/index.js';
import { PROBLEM_BASE, PROBLEMS, REASON_CODES, STATUSES } from '../../core/model/outcome.js';
import { CONTENT_HASH, IRI, PROFILE_REFERENCE, UUID_V7, VERSION } from '../../core/model/patterns.js';
import { GROUNDING_MODES } from '../../core/model/report.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCHEMAS = join(ROOT, 'schemas');
const RUNS = join(ROOT, 'test/vectors/stored-runs');

interface Definition {
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Definition>>;
}
const schema = (name: string): Definition & { readonly definitions: Readonly<Record<string, Definition>> } =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8'));

describe('schemas', () => {
  it('are draft-07, each by the id of its file', () => {
    const files = readdirSync(SCHEMAS).sort();
    expect(files).toHaveLength(18);
    const ajv = new Ajv();
    for (const file of files) {
      const document = JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8'));
      expect(ajv.validateSchema(document)).toBe(true);
      expect([document.$schema, document.$id]).toEqual(['http://json-schema.org/draft-07/schema#', file]);
    }
  });

  it('hold the patterns and the lists of the model, which the rest of the code goes by', () => {
    const { definitions } = schema('definitions');
    const patterns = {
      uuidV7: UUID_V7,
      contentHash: CONTENT_HASH,
      profileReference: PROFILE_REFERENCE,
      iri: IRI,
      version: VERSION,
    };
    for (const [name, pattern] of Object.entries(patterns)) expect(definitions[name]?.pattern).toBe(pattern.source);
    expect(definitions['status']?.enum).toEqual(STATUSES);
    expect(definitions['groundingMode']?.enum).toEqual(GROUNDING_MODES);
    expect(schema('outcome').properties?.['reason_code']?.enum).toEqual(REASON_CODES);
    expect(schema('problem').properties?.['type']?.enum).toEqual(
      Object.keys(PROBLEMS).map((slug) => PROBLEM_BASE + slug),
    );
  });

  it('are what the committed validators were compiled from, and these need nothing at run time', () => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/build-validators.mjs'), '--check'], { stdio: 'pipe' });
    const generated = readFileSync(join(ROOT, 'core/contract/generated/validators.js'), 'utf8');
    expect(generated).not.toMatch(/^import |__require|new Function|\beval\(/m);
  });

  it('let through every envelope and request of the stored runs that nobody changed', () => {
    const expected = readFileSync(join(RUNS, 'expected.jsonl'), 'utf8').trimEnd().split('\n');
    const untouched = expected.map((line) => JSON.parse(line)).filter(({ changes }) => changes.length === 0);
    expect(untouched.length).toBeGreaterThan(10);
    const faults = untouched.flatMap(({ run }) => {
      const read = (file: string) => parseJson(readFileSync(join(RUNS, 'runs', run, file)), { file: `${run}/${file}` });
      const request = existsSync(join(RUNS, 'runs', run, 'request.json')) ? validateRequest(read('request.json')) : [];
      return [...validateEnvelope(read('envelope.json')), ...request];
    });
    expect(faults).toEqual([]);
  });
});
