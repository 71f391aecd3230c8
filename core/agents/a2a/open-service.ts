import { dirname } from 'node:path';
import { gateError } from '../../model/error-codes.js';
import { GateError, oneLine } from '../../model/errors.js';
import type { Agent, IncompatibleAgent, UnavailableAgent } from '../agent.js';
import { agentEnvironment } from '../environment.js';
import { gateOf, type ModelGate, type ModelLane } from '../model-gate.js';
import type { ServiceEntry } from '../parse-agents-config.js';
import type { HttpClient } from './http.js';
import { type FetchedCard, fetchCard, readCard } from './read-card.js';
import { ServiceAgent } from './service-agent.js';
import type { ServiceProcess, ServiceStarter } from './service-process.js';

/** What opening a service needs of the world. */
export interface ServiceWorld {
  readonly http: HttpClient;
  readonly services: ServiceStarter;
  /** Left out where no entry may name models. */
  readonly models?: ModelGate;
  /** Whether `services` isolates what it starts; left out where the entry does not ask for that. */
  readonly isolated?: boolean;
  /** The variables that agents may be given. */
  readonly environment: ReadonlyMap<string, string>;
}

/** What became of an entry with a `url`: only the first kind can be called. */
export type OpenedService =
  | { readonly kind: 'agent'; readonly agent: Agent }
  | ({ readonly kind: 'unavailable' } & UnavailableAgent)
  | ({ readonly kind: 'incompatible' } & IncompatibleAgent);

/** How often a service that was started is asked for its card. */
const POLL_MS = 100;

/**
 * Reads the card of a service, which is started first when its entry says how. Whatever is wrong with the service makes it unavailable;
 * what is wrong with its entry rejects with a GateError of blame `configuration`: `agent-address` or `agent-environment`.
 */
export async function openService(entry: ServiceEntry, world: ServiceWorld): Promise<OpenedService> {
  refuseOddAddress(entry);
  const environment = agentEnvironment(entry.env, world.environment);
  const lane = entry.models === null ? null : await gateOf(world).lane(entry.models.upstreams);
  let service: ServiceProcess | null = null;
  try {
    if (entry.start !== null) service = await launch(entry, { command: entry.start, environment, lane, world });
    const seen = { ...world, http: service?.http ?? world.http };
    const fetched = service === null ? await readOnce(entry, seen) : await awaitCard(entry, { service, world: seen });
    const opened = register(entry, { fetched, service, lane, world: seen });
    if (opened.kind !== 'agent') await end({ service, lane });
    return opened;
  } catch (error) {
    await end({ service, lane });
    if (!(error instanceof GateError)) throw error;
    const address = entry.start === null ? { address: entry.url } : {};
    const log = service === null ? {} : { log: service.logTail() };
    return { kind: 'unavailable', label: entry.label, reason: oneLine(error.message), ...address, ...log };
  }
}

async function end({
  service,
  lane,
}: {
  readonly service: ServiceProcess | null;
  readonly lane: ModelLane | null;
}): Promise<void> {
  lane?.close();
  await service?.stop();
}

function refuseOddAddress({ url, place }: ServiceEntry): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const plain = parsed !== null && ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '';
  if (plain && parsed.password === '' && parsed.search === '' && parsed.hash === '') return;
  throw gateError('agent-address', {
    blame: 'configuration',
    message: `the url ${JSON.stringify(url)} is no address of a service`,
    remedy: 'give an http or https address without user, query and fragment',
    place,
  });
}

async function launch(
  entry: ServiceEntry,
  start: {
    readonly command: string;
    readonly environment: ReadonlyMap<string, string>;
    readonly lane: ModelLane | null;
    readonly world: ServiceWorld;
  },
): Promise<ServiceProcess> {
  const { command, environment, lane, world } = start;
  // Another service at this address would be taken for the one that is about to start; where it is isolated, there is no other.
  const taken =
    world.isolated === true
      ? false
      : await readOnce(entry, world).then(
          () => true,
          () => false,
        );
  if (taken) throw gone(`something else answers at ${entry.url} already`);
  return world.services.start({
    command,
    cwd: entry.cwd ?? dirname(entry.place.file),
    environment,
    ...(lane === null ? {} : { doors: lane.environment }),
    label: entry.label,
    url: entry.url,
  });
}

async function readOnce(entry: ServiceEntry, { http }: ServiceWorld): Promise<FetchedCard> {
  const session = http.within(entry.timeoutS * 1000);
  try {
    return await fetchCard(session, { base: entry.url });
  } finally {
    session.close();
  }
}

/** Asks again while nothing listens yet; a service that ended, or answers something else than a card, is not waited for. */
async function awaitCard(
  entry: ServiceEntry,
  { service, world }: { readonly service: ServiceProcess; readonly world: ServiceWorld },
): Promise<FetchedCard> {
  const session = world.http.within(entry.timeoutS * 1000);
  try {
    for (;;) {
      if (service.ended !== undefined) throw gone(`its command ${service.ended}`);
      try {
        return await fetchCard(session, { base: entry.url });
      } catch (error) {
        if (!(error instanceof GateError) || error.code !== 'agent-unreachable') throw error;
      }
      await world.services.sleep(POLL_MS);
    }
  } finally {
    session.close();
  }
}

function register(
  entry: ServiceEntry,
  given: {
    readonly fetched: FetchedCard;
    readonly service: ServiceProcess | null;
    readonly lane: ModelLane | null;
    readonly world: ServiceWorld;
  },
): OpenedService {
  const { fetched, service, lane, world } = given;
  const { label, url } = entry;
  const read = readCard(fetched.card, { base: url, label });
  if (read.kind === 'incompatible') return { ...read, label };
  const { endpoint, specification } = read;
  const timeoutMs = entry.timeoutS * 1000;
  const sources = entry.sources.map(({ ref }) => ref);
  const attribution = entry.models?.traceparent === true ? 'by-traceparent' : 'by-turn';
  const models = lane === null ? null : ({ lane, attribution } as const);
  const isolated = world.isolated === undefined ? {} : { isolated: world.isolated };
  const registered = { sources, specification, base: url, endpoint, card: fetched, timeoutMs, models, ...isolated };
  return { kind: 'agent', agent: new ServiceAgent(registered, { http: world.http, command: service }) };
}

function gone(message: string): Error {
  return gateError('agent-service', { blame: 'agent', message });
}
