import { composeCard } from '../agents/a2a/compose-card.js';
import { ARTIFACTS, METADATA } from '../agents/a2a/protocol.js';
import { type IncomingMessage, metadataText, onlyPart, type TaskAnswer } from '../agents/a2a/task-answer.js';
import type { InvokedRun } from '../conductor/ports.js';
import { type RunningServer, startA2aServer } from '../io/a2a-server.js';
import { gateError } from '../model/error-codes.js';
import { GateError, oneLine } from '../model/errors.js';
import { CONTRACT_VERSION } from '../model/outcome.js';
import type { Authenticator } from '../model/principal.js';
import { registryJson } from './registry-json.js';
import type { Session } from './session.js';

/** What a harness needs of a session. */
export type HarnessSession = Pick<Session, 'conductor' | 'grants' | 'registry' | 'world'>;

/** Where a harness listens, and for whom. */
export interface HarnessOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** The address that agents are told, when it is another than where it listens (DD_HARNESS_URL). */
  readonly harnessUrl?: string;
  /** Says whom requests without a grant are made for; without one, only requests under a live grant are taken. */
  readonly authenticator?: Authenticator;
  /** Told of errors of ours, of which the caller learns no more than that there was one. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Opens the endpoint that agents delegate through (conductor.txt, Delegation), and that takes requests of its own where somebody is named
 * for whom they are made; from now on the session's runs are issued grants. `GET /agents` lists the registry.
 */
export async function startHarness(session: HarnessSession, options: HarnessOptions): Promise<RunningServer> {
  const { host, port, harnessUrl } = options;
  const server = await startA2aServer(
    {
      card: (url) =>
        composeCard({
          name: 'grounding-gate',
          description: 'Runs agents and judges whether what they answer is grounded.',
          version: CONTRACT_VERSION,
          url: harnessUrl ?? url,
        }),
      answer: (message) => answer(message, { session, options }),
      documents: { '/agents': () => Buffer.from(registryJson(session.registry)) },
    },
    { host, port },
  );
  session.grants.openAt(harnessUrl ?? server.url);
  return server;
}

interface Harness {
  readonly session: HarnessSession;
  readonly options: HarnessOptions;
}

/** Whatever keeps a run from being made is a failed task; an envelope is a completed one, whatever its outcome. */
async function answer(message: IncomingMessage, harness: Harness): Promise<TaskAnswer> {
  try {
    return completed(await invoke(message, harness));
  } catch (error) {
    if (error instanceof GateError) return { kind: 'failed', error: `${error.code}: ${oneLine(error.message)}` };
    harness.options.onError?.(error);
    return { kind: 'failed', error: 'the harness failed' };
  }
}

async function invoke(message: IncomingMessage, { session, options }: Harness): Promise<InvokedRun> {
  const data = onlyPart(message, 'data');
  if (data?.kind !== 'object')
    throw gateError('request-malformed', {
      blame: 'caller',
      message: 'the message is not one data part with an InvocationRequest',
    });
  // One that is no text is a claim all the same, and a false one.
  const claims = message.get('metadata')?.has(METADATA.delegationToken) === true;
  const token = claims ? (metadataText(message, METADATA.delegationToken) ?? '') : undefined;
  const { conductor } = session;
  if (token !== undefined) {
    const traceparent = metadataText(message, METADATA.traceparent) ?? '';
    return conductor.invokeDelegated({ request: data, token, traceparent });
  }
  const principal = (await options.authenticator?.principal()) ?? null;
  if (principal === null)
    throw gateError('call-refused', {
      blame: 'caller',
      message: 'this endpoint takes requests under a live grant alone',
      remedy: 'start `grounding serve` with a principal',
    });
  return conductor.invoke({ request: data, principal, overWire: true });
}

/** The envelope as text, so that its hash survives the wire, and as data beside it (contract 8). */
function completed({ envelope }: InvokedRun): TaskAnswer {
  return {
    kind: 'completed',
    artifacts: [
      { name: ARTIFACTS.envelopeJson, part: { kind: 'text', text: envelope.text() } },
      { name: ARTIFACTS.envelope, part: { kind: 'data', value: envelope } },
    ],
  };
}
