import { type Faults, MappingReader, type YamlNode } from '../config/index.js';
import { MODEL_VARIABLES, type ModelProvider, type ModelSettings } from './model-gate.js';

const PROVIDERS: readonly ModelProvider[] = ['openai', 'anthropic'];

/** Reads `models` of an entry of agents.yaml; null when it is left out or at fault. */
export function parseModels(
  node: YamlNode | null,
  { faults, env }: { readonly faults: Faults; readonly env: readonly string[] },
): ModelSettings | null {
  if (node === null) return null;
  const reader = new MappingReader(node, { what: 'models', keys: [...PROVIDERS, 'traceparent'], faults });
  if (node.kind !== 'mapping') return null;
  const upstreams = new Map<ModelProvider, string>();
  for (const provider of PROVIDERS) {
    const url = reader.optionalString(provider);
    if (url === null) continue;
    const { place } = reader.optional(provider) ?? node;
    if (!isPlainAddress(url))
      faults.add({
        code: 'config-value',
        message: `models.${provider} is no address of a model server: ${JSON.stringify(url)}`,
        remedy: 'give the http or https address that its clients take as their base, without user, query and fragment',
        place,
      });
    if (env.includes(MODEL_VARIABLES[provider]))
      faults.add({
        code: 'config-value',
        message: `env names ${MODEL_VARIABLES[provider]}, which models.${provider} sets`,
        remedy: `remove ${MODEL_VARIABLES[provider]} from env`,
        place,
      });
    upstreams.set(provider, url.replace(/\/+$/, ''));
  }
  if (upstreams.size === 0)
    faults.add({
      code: 'config-missing-key',
      message: 'models names no model server',
      remedy: `add ${PROVIDERS.join(' or ')}`,
      place: node.place,
    });
  return {
    upstreams: Object.fromEntries(upstreams),
    traceparent: reader.optionalBoolean('traceparent') ?? false,
  };
}

function isPlainAddress(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return false;
  return [parsed.username, parsed.password, parsed.search, parsed.hash].every((part) => part === '');
}
