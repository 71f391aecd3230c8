import { Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Budget } from '../doors/budget.js';
import type { ModelRuns } from '../doors/model-runs.js';
import { modelTarget } from '../doors/model-target.js';
import { type Refusal, refused } from '../doors/refusal.js';
import type { Clock } from '../model/ports.js';
import { closeServer, doorServer, listenHere, STRANGERS } from './door-server.js';
import { carry, type ModelBounds, refuse } from './model-relay.js';

/** What is carried at most, and for how long. */
const BOUNDS: ModelBounds = {
  requestBytes: 64 * 1024 * 1024,
  answerBytes: 256 * 1024 * 1024,
  connectMs: 30_000,
  // A model that thinks may be silent for minutes; an agent's own time ends sooner.
  idleMs: 10 * 60_000,
};

/** The pass-through to models. */
export interface ModelServer {
  /** Its address, without a slash at the end; below it `/<token of a lane>/<provider>`. */
  readonly url: string;
  /** Takes no further request and drops those under way. */
  close(): Promise<void>;
}

/** What the server works with. */
export interface ModelServerInit {
  readonly clock: Clock;
  /** Told of errors of ours; nothing of a request is in them. */
  readonly onError: (error: unknown) => void;
  readonly bounds?: Partial<ModelBounds>;
}

/** Opens the pass-through on a free port of this machine. Rejects with GateError `address-unavailable`. */
export async function startModelServer(
  runs: ModelRuns,
  { clock, onError, bounds }: ModelServerInit,
): Promise<ModelServer> {
  const strangers = new Budget(clock, STRANGERS);
  const agents = { http: new HttpAgent(KEPT), https: new HttpsAgent(KEPT) };
  const server = doorServer((request, response) => {
    try {
      answer({ request, response }, { runs, strangers, agents, bounds: { ...BOUNDS, ...bounds } });
    } catch (error) {
      onError(error);
      response.destroy();
    }
  });
  await listenHere(server, 'the pass-through to models');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await closeServer(server);
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/**
 * A connection to a model's server is left after a second of waiting for the next call: the server closes it some seconds later, a call
 * that set out on it at that moment would be lost, and no model call is sent twice.
 */
const KEPT = { keepAlive: true, timeout: 1_000 };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Passage {
  readonly runs: ModelRuns;
  readonly strangers: Budget;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  readonly bounds: ModelBounds;
}

function answer({ request, response }: Exchange, { runs, strangers, agents, bounds }: Passage): void {
  const [, token = '', provider = '', target = ''] = /^\/([\w-]+)\/([a-z]+)(\/.*)$/s.exec(request.url ?? '') ?? [];
  const lane = runs.lane(token);
  if (lane === undefined) return refuse(response, stranger(strangers));
  const to = modelTarget({ provider, method: request.method ?? '', target }, lane.upstreams);
  if (to.kind === 'refused') return refuse(response, to);
  const { traceparent } = request.headers;
  const owner = lane.owner(typeof traceparent === 'string' ? traceparent : undefined);
  if (owner.kind === 'refused') return refuse(response, owner);
  carry({ request, response, target: to.value, owner: owner.value }, { agents, bounds });
}

function stranger(strangers: Budget): Refusal {
  return strangers.take()
    ? refused('grant-unknown', 'the address is of no agent in progress')
    : refused('too-many', 'too many requests at addresses of no agent in progress');
}
