import type { ModelProvider, Upstreams } from '../agents/model-gate.js';
import { type Answer, given, refused } from './refusal.js';

/** Where a request of an agent goes. */
export interface ModelTarget {
  readonly url: string;
  /** A model answers: the call is witnessed as a `chat` span. Embeddings and lists of models are none. */
  readonly chat: boolean;
}

interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly chat: boolean;
}

const post = (path: RegExp, chat: boolean): Endpoint => ({ method: 'POST', path, chat });
const get = (path: RegExp): Endpoint => ({ method: 'GET', path, chat: false });

/**
 * What is passed through. Everything else is refused: a model that is called in the background, in a batch or over a
 * socket answers where nobody would see it.
 */
const ENDPOINTS: Readonly<Record<ModelProvider, readonly Endpoint[]>> = {
  openai: [
    post(/^\/chat\/completions$/, true),
    post(/^\/responses$/, true),
    post(/^\/completions$/, true),
    post(/^\/embeddings$/, false),
    post(/^\/moderations$/, false),
    get(/^\/models(\/[\w.:@-]+(\/[\w.:@-]+)?)?$/),
  ],
  anthropic: [
    post(/^\/v1\/messages$/, true),
    post(/^\/v1\/complete$/, true),
    post(/^\/v1\/messages\/count_tokens$/, false),
    get(/^\/v1\/models(\/[\w.:@-]+)?$/),
  ],
};

/** Where a request goes; a refusal when no such request is passed through. `target` is what follows the provider's name in its address. */
export function modelTarget(
  { provider, method, target }: { readonly provider: string; readonly method: string; readonly target: string },
  upstreams: Upstreams,
): Answer<ModelTarget> {
  if (provider !== 'openai' && provider !== 'anthropic') return refused('not-here', 'there is nothing here');
  const base = upstreams[provider];
  if (base === undefined) return refused('not-here', `models of this agent's entry names no ${provider}`);
  const [path = '', query] = split(target);
  // Such a segment leads elsewhere than it is read here.
  const found = /\/\.{1,2}(\/|$)/.test(path)
    ? undefined
    : ENDPOINTS[provider].find((endpoint) => endpoint.method === method && endpoint.path.test(path));
  if (found === undefined)
    return refused('not-passed', 'only single calls of a model, embeddings and lists of models are passed through');
  return given({ url: `${base}${path}${query === undefined ? '' : `?${query}`}`, chat: found.chat });
}

/** A clean path, and the query if there is one. */
function split(target: string): readonly [string, string?] {
  const at = target.indexOf('?');
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1).replace(/#.*$/s, '')];
}
