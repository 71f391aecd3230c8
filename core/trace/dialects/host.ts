/** Attributes in which an instrumented client names the host that it talks to, alone or within a URL. */
export const HOST_KEYS: ReadonlySet<string> = new Set([
  'server.address',
  'net.peer.name',
  'peer.service',
  'http.host',
  'url.full',
  'http.url',
]);

/** Scheme, perhaps a user, then the host up to its port, path, query or fragment. */
const URL_HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#:]+)/;

/** The host that a text names, in lower case and without a final point; a text that is no URL is taken as a host with a port perhaps. */
export function hostOf(text: string): string {
  const lower = text.toLowerCase();
  const host = URL_HOST.exec(lower)?.[1] ?? lower.replace(/:[0-9]+$/, '');
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
