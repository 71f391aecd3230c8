import { createSign } from 'node:crypto';

/** Claims that differ from a good token's. */
export type Claims = { readonly iat?: unknown; readonly exp?: unknown; readonly iss?: unknown };

/** Signs the JWT by which an app names itself, as GitHub asks for it: RS256, ten minutes at most. */
export function signApp(
  app: { readonly id: number; readonly privateKey: string },
  { now = Date.now(), claims = {} }: { readonly now?: number; readonly claims?: Claims } = {},
): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = { iat: seconds - 30, exp: seconds + 570, iss: app.id, ...claims };
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(app.privateKey, 'base64url')}`;
}
