import type { Agent, AgentCall, AgentReply } from '../../core/agents/agent.js';
import { parseSpecification } from '../../core/agents/parse-specification.js';
import { systemClock } from '../../core/io/clock.js';
import { randomSpanIds } from '../../core/io/span-ids.js';
import { type Composable, hashOf, type JsonNode, jsonOf } from '../../core/json/index.js';
import { recordSpans, type SpanRecorder } from '../../core/trace/tracer.js';

type Members = Readonly<Record<string, Composable>>;

/** The input and payload classes of the fakes. */
export const QUESTION: Members = {
  type: 'object',
  required: ['schema_class', 'topic'],
  properties: { schema_class: { enum: ['Question'] }, topic: { type: 'string', pattern: '^[a-z ]+$' } },
};
export const ANSWER: Members = {
  type: 'object',
  required: ['schema_class', 'grounded_on'],
  properties: { schema_class: { enum: ['Answer'] }, score: { type: 'number' } },
};

/** What a fake has at hand while it works. */
export interface Work {
  readonly call: AgentCall;
  readonly recorder: SpanRecorder;
  /** Records a retrieval of a record and gives the evidence item that cites it. */
  retrieve(record: Composable, options?: { readonly id?: string; readonly snapshotRef?: string }): Members;
  chat(): void;
  /** The evidence item that cites the input. */
  readonly input: Members;
}

/** What a fake answers: a result, and other spans than the recorded ones where a test wants them. */
export interface Answer {
  readonly result: Composable;
  readonly spans?: readonly string[];
}

/** An agent in this process; its specification is read as a real one's is. */
export function fakeAgent(members: Members, work: (work: Work) => Answer | Promise<Answer>): Agent {
  const specification = parseSpecification(jsonOf(specificationOf(members)), { label: 'a fake' });
  return {
    specification,
    async invoke(call): Promise<AgentReply> {
      const recorder = recordSpans({ clock: systemClock(), ids: randomSpanIds() }, call.traceparent);
      const answer = await work(workOf(call, recorder));
      return { result: jsonOf(answer.result), spans: answer.spans ?? recorder.finished() };
    },
    close: () => Promise.resolve(),
  };
}

function specificationOf(members: Members): Composable {
  const classes = Object.entries({ Question: QUESTION, Answer: ANSWER });
  return {
    agent_id: 'fake.agent',
    version: '1.2.3',
    description: 'A fake for the tests of the conductor',
    action_class: 'advise',
    accepts: ['Question'],
    grounding_mode: 'none',
    payload: 'Answer',
    derivations: {},
    contract_version: '0.7.0',
    schemas: Object.fromEntries(classes.map(([name, schema]) => [name, schemaEntry(schema)])),
    ...members,
  };
}

/** A class as a specification has it. */
export function schemaEntry(schema: Composable): Composable {
  return { digest: hashOf(jsonOf(schema), 'dd-json-document-v1'), json_schema: schema };
}

function workOf(call: AgentCall, recorder: SpanRecorder): Work {
  return {
    call,
    recorder,
    retrieve(record, { id = 'src:a', snapshotRef } = {}) {
      const hash = hashOf(jsonOf(record), 'dd-json-document-v1');
      recorder.start('retrieval', { attributes: { 'dd.source_id': id, 'dd.content_hash': hash } }).end();
      return {
        source_id: id,
        hash_algorithm: 'sha256',
        canonicalisation: 'dd-json-document-v1',
        content_hash: hash,
        content: record,
        ...(snapshotRef === undefined ? {} : { snapshot_ref: snapshotRef }),
      };
    },
    chat: () => void recorder.start('chat', { attributes: { 'dd.model_id': 'm' } }).end(),
    input: {
      source_id: call.inputRef,
      hash_algorithm: 'sha256',
      canonicalisation: 'dd-input-json-v1',
      content_hash: call.inputHash,
    },
  };
}

/** A reference to an evidence item. */
export function citing(item: Members): Members {
  return { source_id: item['source_id'] ?? null, content_hash: item['content_hash'] ?? null };
}

/** A result that succeeded and cites each of the items. */
export function success(items: readonly Members[], more: Members = {}): Members {
  return {
    outcome: { status: 'succeeded', statement: 'done' },
    payload: { schema_class: 'Answer', grounded_on: items.map(citing) },
    evidence: items,
    ...more,
  };
}

/** The spans of a run as plain values, by name. */
export function spanNames(bytes: Uint8Array): string[] {
  return Buffer.from(bytes)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { name: string }).name);
}

/** Text of the string at a pointer. */
export function at(node: JsonNode, pointer: string): string | undefined {
  const found = node.locate(pointer);
  return found?.string() ?? found?.text();
}
