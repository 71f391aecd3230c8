import { expect } from 'vitest';
import { validateEnvelope } from '../../core/contract/documents.js';
import type { Composable } from '../../core/json/index.js';
import { type Answer, at, fakeAgent, spanNames, type Work } from './fake-agent.js';
import { stage } from './stage.js';

type Members = Readonly<Record<string, Composable>>;

/** Invokes a fake and gives what its envelope and files say. */
export async function ended(members: Members, work: (work: Work) => Answer | Promise<Answer>, request: Members = {}) {
  const set = await stage([fakeAgent(members, work)]);
  const run = await set.invoke(request);
  expect(validateEnvelope(run.envelope)).toEqual([]);
  expect(set.read(run, 'envelope.json')).toBe(run.envelope.text());
  const text = (pointer: string) => at(run.envelope, pointer);
  return {
    run,
    status: text('/outcome/status'),
    statement: text('/outcome/statement') ?? '',
    slug: text('/problem/type')?.split('/').at(-1),
    http: text('/problem/http_status'),
    empty: !['payload', 'payload_schema', 'evidence'].some((key) => run.envelope.has(key)),
    grounding: set.read(run, 'grounding.txt'),
    sources: set.read(run, 'sources.txt'),
    spans: spanNames(Buffer.from(set.read(run, 'spans.jsonl'))),
    root: JSON.parse(set.read(run, 'spans.jsonl').split('\n')[0] ?? ''),
    rules: [...run.grounding.rules, ...run.sources.rules],
  };
}
