import { likeness } from './likeness.js';

/** Attributes in which an instrumented client names the host that it talks to, alone or within a URL. */
export const HOST_KEYS: ReadonlySet<string> = new Set([
  'server.address',
  'server.socket.domain',
  'net.peer.name',
  'net.sock.peer.name',
  'network.peer.address',
  'peer.service',
  'http.host',
  'http.request.header.host',
  'http.url',
  'url.full',
  'url.original',
  'url.domain',
]);

/** Perhaps a scheme, perhaps a user, then the host up to its port, path, query or fragment. */
const HOST = /^(?:[a-z][a-z0-9+.-]*:\/+|\/\/)?(?:[^/?#]*@)?([^/?#:]+)/;
/** Longer texts hold no host that is worth finding. */
const LONGEST = 65_536;

/** The host that a URL, or a text without a scheme, names as a client reads it: in lower case and without a final point. */
export function hostOf(text: string): string {
  const plain = likeness(text.slice(0, LONGEST)).replaceAll('\\', '/');
  const host = decoded(HOST.exec(plain)?.[1] ?? plain);
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** Clients read `%2e` in a host as the point that it stands for. */
function decoded(host: string): string {
  if (!host.includes('%')) return host;
  try {
    return likeness(decodeURIComponent(host));
  } catch {
    return host;
  }
}
