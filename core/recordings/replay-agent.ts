import type { Agent, AgentCall, AgentReply } from '../agents/agent.js';
import type { AgentSpecification } from '../agents/specification.js';
import { jsonOf, parseJson } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { ATTRIBUTES } from '../trace/index.js';
import type { RecordedRun } from './recording.js';

/** A child that was judged again: what its parent was told that its envelope's hash is, and what it is now. */
export interface ReplayedChild {
  readonly before: string;
  readonly now: string;
}

/** An agent as it was recorded. */
export interface ReplayedAgent {
  readonly run: RecordedRun;
  /** What the agent declares today. */
  readonly specification: AgentSpecification;
  /** The recording's file, for messages. */
  readonly file: string;
  /** Runs the recorded children again, under the parent's grant. */
  readonly children: (token: string) => Promise<readonly ReplayedChild[]>;
}

/**
 * An agent that gives what was recorded, and calls nothing. It rejects with GateError `recording-stale` of blame
 * `configuration` where it is asked something else than then; the agent's own errors come as they came.
 */
export function replayAgent({ run, specification, file, children }: ReplayedAgent): Agent {
  const isolation = rootAttribute(run, ATTRIBUTES.isolation);
  return {
    specification,
    // Where it ran then: it is not run now.
    ...(isolation === undefined ? {} : { isolated: isolation === 'isolated' }),
    close: () => Promise.resolve(),
    async invoke(call) {
      if (call.inputHash !== run.inputHash)
        throw stale(file, 'the input that the agent is given is another one than then');
      const told = call.delegation === undefined ? [] : await children(call.delegation.token);
      return replyOf({ run, file, call, told });
    },
  };
}

function rootAttribute({ ownSpans: [root = '{}'] }: RecordedRun, name: string): string | undefined {
  return parseJson(Buffer.from(root), { file: 'own spans' }).get('attributes')?.get(name)?.string();
}

interface Replying {
  readonly run: RecordedRun;
  readonly file: string;
  readonly call: AgentCall;
  readonly told: readonly ReplayedChild[];
}

function replyOf({ run: { reply }, file, call, told }: Replying): AgentReply {
  switch (reply.kind) {
    case 'answered': {
      // A child's envelope names whom it was made for and under which profile, so that its hash may be another one today.
      const retold = (text: string): string =>
        told.reduce((so, { before, now }) => (before === now ? so : so.replaceAll(before, now)), text);
      const result = parseJson(Buffer.from(retold(reply.result.text())), { file: 'result' });
      return { result, spans: reply.spans.map(retold) };
    }
    case 'failed':
      throw gateError('agent-threw', { blame: 'agent', message: reply.message });
    case 'showed-token':
      return {
        result: jsonOf({
          outcome: { status: 'failed', statement: call.sources?.token ?? call.delegation?.token ?? '' },
        }),
        spans: [],
      };
    default:
      throw stale(file, 'the agent was not called then, as the policy or its input did not allow it');
  }
}

/** The error for a recording that does not fit any more. */
export function stale(file: string, message: string): Error {
  return gateError('recording-stale', {
    blame: 'configuration',
    message,
    remedy: 'record the fixture again with grounding run --record',
    place: { file },
  });
}
