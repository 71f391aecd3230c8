import { type Composable, composeJson, sha256Hex, utf8Text } from '../json/index.js';
import { yamlString } from '../sources/index.js';

/** A file of a starter set, by its path from the repository's root. */
export interface StarterFile {
  readonly path: string;
  readonly text: string;
}

/** An agent as it goes into agents.yaml. */
export type StarterAgent =
  | { readonly kind: 'module'; readonly module: string }
  | { readonly kind: 'service'; readonly url: string };

/** agents.yaml for these agents; a text in JSON is one in YAML as well. */
export function agentsFile(path: string, agents: readonly StarterAgent[]): StarterFile {
  const lines = agents.map((agent) =>
    agent.kind === 'module' ? `  - module: ${quoted(agent.module)}\n` : `  - url: ${quoted(agent.url)}\n`,
  );
  return {
    path,
    text: `# The agents that the gate may run; docs/agents.md lists what an entry can say.\nagents:\n${lines.join('')}`,
  };
}

/** The profile, which enables each agent as the class of action that it declares. */
export function profileFile(path: string, agents: ReadonlyMap<string, string>): StarterFile {
  const lines = [...agents].map(([agentId, actionClass]) => `  ${quoted(agentId)}: ${quoted(actionClass)}\n`);
  const list = lines.length === 0 ? 'agents: {}\n' : `agents:\n${lines.join('')}`;
  return {
    path,
    text: `# Which agent may run, as which class of action. Review a change of it as what it is: a permission.\nprofile_id: default\nversion: 1\n${list}`,
  };
}

/** sources.yaml without a copy; `grounding pin` adds one. */
export function emptySourcesFile(path: string): StarterFile {
  return { path, text: '# Copies of sources that no agent can touch; `grounding pin` adds one.\nsources: []\n' };
}

/** A fixture for an agent. Its name is made of letters, digits, dots and dashes: an agent's id is no path. */
export function fixtureFile(agentId: string, input: Composable): StarterFile {
  const text = utf8Text(composeJson({ agent_id: agentId, input }));
  return { path: `fixtures/${fileNameOf(agentId)}.json`, text: `${text}\n` };
}

function fileNameOf(agentId: string): string {
  const plain = agentId.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  if (plain === agentId && plain.length <= 80) return plain;
  return `${plain.slice(0, 40) || 'agent'}-${sha256Hex(agentId.toWellFormed()).slice(0, 8)}`;
}

function quoted(text: string): string {
  return /^[A-Za-z][A-Za-z0-9_./-]*$/.test(text) && !RESERVED.test(text) ? text : yamlString(text);
}

/** Words that YAML takes for something else. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
