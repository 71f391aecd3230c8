import { createVerify } from 'node:crypto';
import type { Repository, Role } from '../state/repository.js';
import type { Principal } from '../state/tokens.js';
import type { World } from '../state/world.js';
import type { Access } from './call.js';
import { ApiError, notAccessible, notFound } from './errors.js';

const LONGEST_JWT_SECONDS = 600;
// GitHub's clock and the caller's may differ a little.
const CLOCK_DRIFT_SECONDS = 60;

/** Finds out who speaks from the Authorization header; a credential that is not good is answered with 401. */
export function authenticate(world: World, header: string | undefined): Principal {
  if (header === undefined) return { kind: 'anonymous' };
  const [, credential] = /^(?:bearer|token) +(\S+)$/i.exec(header) ?? [];
  if (credential === undefined) throw new ApiError(401, 'Bad credentials');
  if (credential.split('.').length === 3) return verifyApp(world, credential);
  const principal = world.tokens.find(credential);
  if (principal === undefined) throw new ApiError(401, 'Bad credentials');
  if (principal.kind === 'installation' && principal.installation.suspendedAt !== undefined)
    throw new ApiError(403, 'This installation has been suspended');
  return principal;
}

const undecodable = () => new ApiError(401, 'A JSON web token could not be decoded');

function decode(part: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    throw undecodable();
  }
}

function verifyApp(world: World, jwt: string): Principal {
  const [header, payload, signature = ''] = jwt.split('.');
  const claims = decode(payload);
  if (decode(header)['alg'] !== 'RS256') throw undecodable();
  const app = world.apps.get(Number(claims['iss']));
  if (app === undefined) throw new ApiError(401, 'Integration not found');
  const verify = createVerify('RSA-SHA256').update(`${header}.${payload}`);
  if (!verify.verify(app.publicKey, Buffer.from(signature, 'base64url'))) throw undecodable();
  const now = world.milliseconds() / 1000;
  const { iat, exp } = claims;
  if (!Number.isInteger(iat) || Number(iat) > now + CLOCK_DRIFT_SECONDS)
    throw new ApiError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  if (!Number.isInteger(exp) || Number(exp) <= now)
    throw new ApiError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (Number(exp) > now + LONGEST_JWT_SECONDS)
    throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future");
  return { kind: 'app', account: app.user, app: app.id };
}

/** Says whether the caller's own rights, not the public's, reach the repository. */
export function isGranted(principal: Principal, repository: Repository): boolean {
  if (principal.kind === 'actions') return principal.repository === repository.id;
  if (principal.kind === 'user') return repository.roles.has(principal.account.login.toLowerCase());
  if (principal.kind !== 'installation') return false;
  const narrowed = principal.repositories === 'all' || principal.repositories.includes(repository.id);
  return narrowed && principal.installation.repositories().includes(repository.id);
}

const WRITERS: readonly (Role | undefined)[] = ['write', 'maintain', 'admin'];

/** Lets the caller through or answers as GitHub does: 404 for what it may not see, 403 for what it may not do. */
export function authorise(
  principal: Principal,
  request: { readonly repository: Repository; readonly access: Access },
): void {
  const { repository, access } = request;
  if (access.kind !== 'repository') return;
  const granted = isGranted(principal, repository);
  if (!granted && repository.private) throw notFound();
  if (principal.kind === 'anonymous' || principal.kind === 'app') {
    if (access.level === 'read' && access.open && !repository.private) return;
    throw new ApiError(401, 'Requires authentication');
  }
  if (principal.kind === 'user')
    return authorisePerson(repository.roles.get(principal.account.login.toLowerCase()), access);
  if (access.level === 'read' && access.open && !repository.private) return;
  if (granted && holds(principal, access)) return;
  throw notAccessible();
}

type Needed = Extract<Access, { kind: 'repository' }>;

function holds(principal: Extract<Principal, { kind: 'actions' | 'installation' }>, access: Needed): boolean {
  return access.permissions.some((name) => {
    // Every installation may read a repository's metadata.
    const level = name === 'metadata' ? 'read' : principal.permissions[name];
    return level === 'write' || level === 'admin' || level === access.level;
  });
}

function authorisePerson(role: Role | undefined, access: Needed): void {
  if (access.permissions.includes('checks') && access.level === 'write')
    throw new ApiError(403, 'You must authenticate via a GitHub App.');
  if (access.level === 'read' && (access.open || role !== undefined)) return;
  if (access.social || WRITERS.includes(role)) return;
  throw new ApiError(403, 'Must have push access to repository');
}
