import type { App, Installation } from '../state/app.js';
import type { Account } from '../state/records.js';
import { stamp, type World } from '../state/world.js';

type Json = Record<string, unknown>;

/** An id as GraphQL and REST share it. */
export const nodeId = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString('base64url');

/** An account as GitHub's `simple-user`. */
export function user(world: World, account: Account): Json {
  const { api, site } = world.addresses;
  const self = `${api}/users/${encodeURIComponent(account.login)}`;
  const page = account.type === 'Bot' ? `apps/${account.login.replace('[bot]', '')}` : account.login;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId(account.type, account.id),
    avatar_url: `${site}/avatars/${account.id}`,
    gravatar_id: '',
    url: self,
    html_url: `${site}/${page}`,
    followers_url: `${self}/followers`,
    following_url: `${self}/following{/other_user}`,
    gists_url: `${self}/gists{/gist_id}`,
    starred_url: `${self}/starred{/owner}{/repo}`,
    subscriptions_url: `${self}/subscriptions`,
    organizations_url: `${self}/orgs`,
    repos_url: `${self}/repos`,
    events_url: `${self}/events{/privacy}`,
    received_events_url: `${self}/received_events`,
    type: account.type,
    site_admin: false,
  };
}

/** The account as `GET /user` shows it to itself. */
export function ownUser(world: World, account: Account): Json {
  const created = stamp(0);
  const none = { name: null, company: null, blog: '', location: null, email: null, hireable: null, bio: null };
  const counts = { public_repos: 0, public_gists: 0, followers: 0, following: 0 };
  return {
    ...user(world, account),
    ...none,
    ...counts,
    user_view_type: 'public',
    created_at: created,
    updated_at: created,
  };
}

/** An app as GitHub's `integration`. */
export function integration(world: World, app: App): Json {
  return {
    id: app.id,
    client_id: `Iv1.${app.id}`,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    owner: user(world, app.owner),
    name: app.name,
    description: '',
    external_url: `${world.addresses.site}/apps/${app.slug}`,
    html_url: `${world.addresses.site}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}

/** An installation as GitHub's `installation`. */
export function installation(world: World, one: Installation): Json {
  const { api, site } = world.addresses;
  return {
    id: one.id,
    account: user(world, one.account),
    access_tokens_url: `${api}/app/installations/${one.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${site}/settings/installations/${one.id}`,
    app_id: one.app.id,
    client_id: `Iv1.${one.app.id}`,
    app_slug: one.app.slug,
    target_id: one.account.id,
    target_type: one.account.type === 'Organization' ? 'Organization' : 'User',
    repository_selection: one.selection,
    permissions: one.permissions,
    events: one.app.events,
    created_at: one.createdAt,
    updated_at: one.createdAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: one.suspendedAt === undefined ? null : user(world, one.account),
    suspended_at: one.suspendedAt ?? null,
  };
}
