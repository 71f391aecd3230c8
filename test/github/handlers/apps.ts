import { type Call, found, numberOf, ok, paged, type Route } from '../http/call.js';
import { ApiError, notAccessible, unprocessable } from '../http/errors.js';
import { installation, integration, ownUser } from '../render/accounts.js';
import { repositoryOf } from '../render/repositories.js';
import type { App, Installation } from '../state/app.js';
import { redeliver } from '../state/deliveries.js';
import type { Delivery, Permissions } from '../state/records.js';
import { stamp } from '../state/world.js';

function app(call: Call): App {
  if (call.principal.kind !== 'app') throw new ApiError(401, 'A JSON web token could not be decoded');
  return found(call.world.apps.get(call.principal.app));
}

const present = (one: App) => one.installations.filter((installed) => !installed.removed);

const installationAt = (call: Call) => {
  const id = numberOf(call, 'installation_id');
  return found(present(app(call)).find((one) => one.id === id));
};

function getApp(call: Call) {
  const one = app(call);
  return ok({ ...integration(call.world, one), installations_count: present(one).length });
}

function listInstallations(call: Call) {
  return paged(call, present(app(call)), (some) => some.map((one) => installation(call.world, one)));
}

function getForRepository(call: Call) {
  const { id } = call.repository;
  const one = found(present(app(call)).find((installed) => installed.repositories().includes(id)));
  return ok(installation(call.world, one));
}

const LEVELS = ['read', 'write', 'admin'];

/** The permissions of a new token: no more than the installation holds. */
function narrowed(call: Call, one: Installation): Permissions {
  const asked = call.body['permissions'] as Permissions | undefined;
  // Reading metadata goes with every token.
  const always = { metadata: 'read' } as const;
  if (asked === undefined) return { ...one.permissions, ...always };
  for (const [name, level] of Object.entries(asked))
    if (LEVELS.indexOf(level) > LEVELS.indexOf(one.permissions[name] ?? 'none'))
      throw new ApiError(422, 'The permissions requested are not granted to this installation.');
  return { ...asked, ...always };
}

function selected(call: Call, one: Installation): string[] | undefined {
  const ids = call.body['repository_ids'] as number[] | undefined;
  const names = call.body['repositories'] as string[] | undefined;
  if (ids === undefined && names === undefined) return undefined;
  const all = one.repositories().flatMap((id) => call.world.repositories.get(id) ?? []);
  const wanted = all.filter((each) => ids?.includes(each.id) || names?.includes(each.name));
  if (wanted.length !== (ids?.length ?? 0) + (names?.length ?? 0))
    throw new ApiError(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  return wanted.map((each) => each.fullName);
}

function createToken(call: Call) {
  const one = installationAt(call);
  if (one.suspendedAt !== undefined) throw new ApiError(403, 'This installation has been suspended');
  const permissions = narrowed(call, one);
  const repositories = selected(call, one);
  const narrow = repositories === undefined ? {} : { repositories };
  const { token, expires } = call.world.tokens.issue({
    kind: 'installation',
    installation: one,
    permissions,
    ...narrow,
  });
  const selection = repositories === undefined ? one.selection : 'selected';
  const body = { token, expires_at: stamp(expires), permissions, repository_selection: selection };
  return { status: 201, body };
}

function listRepositories(call: Call) {
  const { principal, world } = call;
  if (principal.kind !== 'installation') throw notAccessible();
  const visible = principal.installation.repositories();
  const ids = visible.filter((id) => principal.repositories === 'all' || principal.repositories.includes(id));
  const all = ids.flatMap((id) => world.repositories.get(id) ?? []);
  return paged(call, all, (some) => ({
    total_count: all.length,
    repository_selection: principal.installation.selection,
    repositories: some.map(repositoryOf),
  }));
}

function getUser(call: Call) {
  // An app has no user of its own to show: this answers people only.
  if (call.principal.kind === 'user') return ok(ownUser(call.world, call.principal.account));
  if (call.principal.kind === 'anonymous') throw new ApiError(401, 'Requires authentication');
  throw notAccessible();
}

const item = (one: Delivery) => ({
  id: one.id,
  guid: one.guid,
  delivered_at: one.deliveredAt,
  redelivery: one.redelivery,
  duration: one.duration,
  status: one.statusCode < 400 ? 'OK' : `Invalid HTTP Response: ${one.statusCode}`,
  status_code: one.statusCode,
  event: one.event,
  action: one.action,
  installation_id: one.installation,
  repository_id: one.repository,
  throttled_at: null,
});

/** Deliveries are turned by a cursor, not by page numbers. */
function listDeliveries(call: Call) {
  const { id } = app(call);
  const all = call.world.deliveries.filter((one) => one.app === id).reverse();
  const size = Math.min(Number(call.query.get('per_page') ?? 30), 100);
  const cursor = call.query.get('cursor');
  const from = cursor === null ? 0 : all.findIndex((one) => `v1_${one.id}` === cursor);
  if (from < 0) throw unprocessable({ resource: 'Delivery', field: 'cursor', code: 'invalid' });
  const next = all[from + size];
  const link = `<${call.address}?per_page=${size}&cursor=v1_${next?.id}>; rel="next"`;
  return { status: 200, body: all.slice(from, from + size).map(item), headers: next === undefined ? {} : { link } };
}

const deliveryAt = (call: Call) => {
  const { id } = app(call);
  const wanted = numberOf(call, 'delivery_id');
  return found(call.world.deliveries.find((one) => one.id === wanted && one.app === id));
};

function getDelivery(call: Call) {
  const one = deliveryAt(call);
  const response = { headers: {}, payload: one.answer };
  return ok({ ...item(one), url: one.url, request: { headers: one.headers, payload: one.payload }, response });
}

function redeliverOne(call: Call) {
  void redeliver(call.world, deliveryAt(call));
  return { status: 202, body: {} };
}

function rates(call: Call) {
  const core = call.rates();
  return ok({ resources: { core, search: core, graphql: core }, rate: core });
}

/** Apps, installations, tokens, deliveries. */
export const apps: Readonly<Record<string, Route>> = {
  'apps/get-authenticated': { access: { kind: 'app' }, run: getApp },
  'apps/list-installations': { access: { kind: 'app' }, run: listInstallations },
  'apps/get-installation': {
    access: { kind: 'app' },
    run: (call) => ok(installation(call.world, installationAt(call))),
  },
  'apps/get-repo-installation': { access: { kind: 'app' }, run: getForRepository },
  'apps/create-installation-access-token': { access: { kind: 'app' }, run: createToken },
  'apps/list-repos-accessible-to-installation': { access: { kind: 'any' }, run: listRepositories },
  'apps/list-webhook-deliveries': { access: { kind: 'app' }, run: listDeliveries },
  'apps/get-webhook-delivery': { access: { kind: 'app' }, run: getDelivery },
  'apps/redeliver-webhook-delivery': { access: { kind: 'app' }, run: redeliverOne },
  'users/get-authenticated': { access: { kind: 'any' }, run: getUser },
  'rate-limit/get': { access: { kind: 'any' }, run: rates },
};
