import type { YamlNode } from '../config/index.js';

/** The value under a key of a mapping; undefined for anything else. */
export function under(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node?.kind === 'mapping' ? node.entries.get(key)?.value : undefined;
}

/** The text of a scalar as the file has it; undefined for anything else. */
export function textOf(node: YamlNode | undefined): string | undefined {
  if (node === undefined || node.kind === 'mapping' || node.kind === 'sequence') return undefined;
  return node.kind === 'string' ? node.value : node.source;
}

/** A list's items; nothing for anything else. */
export function itemsOf(node: YamlNode | undefined): readonly YamlNode[] {
  return node?.kind === 'sequence' ? node.items : [];
}

/** The events that set a workflow off: one name, a list of names, or the keys of a mapping. */
export function eventsOf(root: YamlNode): ReadonlySet<string> {
  const on = under(root, 'on');
  if (on?.kind === 'mapping') return new Set(on.entries.keys());
  const names = on?.kind === 'sequence' ? itemsOf(on).map(textOf) : [textOf(on)];
  return new Set(names.filter((name) => name !== undefined));
}

/** A job with the steps that it takes. */
export interface WorkflowJob {
  readonly node: YamlNode;
  readonly steps: readonly YamlNode[];
}

/** The jobs of a workflow, in the order of the file. */
export function jobsOf(root: YamlNode): readonly WorkflowJob[] {
  const jobs = under(root, 'jobs');
  if (jobs?.kind !== 'mapping') return [];
  return [...jobs.entries.values()].map(({ value }) => ({ node: value, steps: itemsOf(under(value, 'steps')) }));
}

/** What a step or a job uses: `owner/name` and the part behind `@`; undefined when it uses nothing. */
export function usesOf(step: YamlNode): { readonly name: string; readonly ref: string } | undefined {
  const uses = textOf(under(step, 'uses'));
  if (uses === undefined) return undefined;
  const at = uses.lastIndexOf('@');
  return at === -1 ? { name: uses, ref: '' } : { name: uses.slice(0, at), ref: uses.slice(at + 1) };
}
