import type { YamlMapping, YamlNode, YamlSequence } from '../config/index.js';
import type { SourceEntry, SourcesConfiguration } from './configuration.js';
import type { EntryValues } from './plan-pin.js';
import { applyEdits, indentOf, insertAfterLine, lineBounds, lineBreakOf, type TextEdit } from './text-edits.js';
import { yamlString } from './yaml-string.js';

/** The text of a sources.yaml that holds these entries and nothing else. */
export function composeConfiguration(entries: readonly EntryValues[]): string {
  return `sources:\n${entries.map((entry) => `${blockEntry(entry, { indent: '  ', lineBreak: '\n' })}\n`).join('')}`;
}

/**
 * The text of sources.yaml with its entries changed to the planned ones, which may only be changed in place or added at
 * the end. Only the changed values are rewritten: comments, order and layout stay. The caller reads the result again,
 * since a value that an alias shares cannot be changed for one entry alone.
 */
export function editConfiguration(current: SourcesConfiguration, planned: readonly EntryValues[]): string {
  const { document, entries } = current;
  const changed = entries.flatMap((entry, at) => {
    const next = planned[at];
    return next === undefined ? [] : entryEdits({ text: document.text, entry, next });
  });
  const added = additionEdits(current, planned.slice(entries.length));
  return applyEdits(document.text, [...changed, ...added]);
}

interface EntryChange {
  readonly text: string;
  readonly entry: SourceEntry;
  readonly next: EntryValues;
}

function entryEdits({ text, entry, next }: EntryChange): TextEdit[] {
  const mapping = mappingOf(entry.node);
  const replaced = [
    entry.path === next.path ? [] : replaceValue(mapping, { key: 'path', value: next.path }),
    entry.idField === next.idField ? [] : replaceValue(mapping, { key: 'id_field', value: next.idField }),
    entry.sha256 === next.sha256 ? [] : replaceValue(mapping, { key: 'sha256', value: next.sha256 }),
  ];
  return [...replaced.flat(), ...referenceEdits({ text, entry, next })];
}

function replaceValue(
  mapping: YamlMapping,
  { key, value }: { readonly key: string; readonly value: string },
): TextEdit[] {
  const node = mapping.entries.get(key)?.value;
  return node === undefined ? [] : [{ ...node.span, text: yamlString(value) }];
}

function referenceEdits({ text, entry, next }: EntryChange): TextEdit[] {
  const list = mappingOf(entry.node).entries.get('snapshot_refs')?.value;
  if (list?.kind !== 'sequence') return [];
  const gone = list.items.filter((item) => item.kind === 'string' && !next.snapshotRefs.includes(item.value));
  const added = next.snapshotRefs.filter((ref) => !entry.snapshotRefs.includes(ref));
  return [...gone.map((item) => removal({ text, list, item })), ...added.map((ref) => addition({ text, list, ref }))];
}

function removal({
  text,
  list,
  item,
}: {
  readonly text: string;
  readonly list: YamlSequence;
  readonly item: YamlNode;
}): TextEdit {
  if (list.style === 'block') {
    const { start, next } = lineBounds(text, item.span);
    return { start, end: next, text: '' };
  }
  const at = list.items.indexOf(item);
  const following = list.items[at + 1];
  if (following !== undefined) return { start: item.span.start, end: following.span.start, text: '' };
  return { start: list.items[at - 1]?.span.end ?? item.span.start, end: item.span.end, text: '' };
}

function addition({
  text,
  list,
  ref,
}: {
  readonly text: string;
  readonly list: YamlSequence;
  readonly ref: string;
}): TextEdit {
  const end = list.items.at(-1)?.span.end ?? list.span.start + 1;
  if (list.style === 'flow') return { start: end, end, text: `, ${yamlString(ref)}` };
  return insertAfterLine(text, { after: end, lines: `${indentOf(text, list.span.start)}- ${yamlString(ref)}` });
}

function additionEdits({ document }: SourcesConfiguration, added: readonly EntryValues[]): TextEdit[] {
  const { text, root } = document;
  const sources = mappingOf(root).entries.get('sources');
  if (added.length === 0 || sources?.value.kind !== 'sequence') return [];
  const list = sources.value;
  const lineBreak = lineBreakOf(text);
  const last = list.items.at(-1);
  if (last === undefined && mappingOf(root).style === 'block') {
    const lines = added.map((entry) => `${lineBreak}${blockEntry(entry, { indent: '  ', lineBreak })}`);
    return [{ start: sources.key.span.end, end: list.span.end, text: `:${lines.join('')}` }];
  }
  if (list.style === 'flow') {
    const at = last?.span.end ?? list.span.start + 1;
    const entries = added.map(flowEntry).join(', ');
    return [{ start: at, end: at, text: last === undefined ? entries : `, ${entries}` }];
  }
  const indent = indentOf(text, list.span.start);
  const lines = added.map((entry) => blockEntry(entry, { indent, lineBreak })).join(lineBreak);
  return [insertAfterLine(text, { after: list.span.end, lines })];
}

function blockEntry(entry: EntryValues, layout: { readonly indent: string; readonly lineBreak: string }): string {
  const [first, ...others] = memberTexts(entry);
  const rest = others.map((member) => `${layout.lineBreak}${layout.indent}  ${member}`);
  return `${layout.indent}- ${first}${rest.join('')}`;
}

function flowEntry(entry: EntryValues): string {
  return `{${memberTexts(entry).join(', ')}}`;
}

function memberTexts(entry: EntryValues): readonly string[] {
  return [
    `snapshot_refs: [${entry.snapshotRefs.map(yamlString).join(', ')}]`,
    `path: ${yamlString(entry.path)}`,
    `id_field: ${yamlString(entry.idField)}`,
    `sha256: ${yamlString(entry.sha256)}`,
  ];
}

function mappingOf(node: YamlNode): YamlMapping {
  if (node.kind !== 'mapping') throw new Error('a parsed sources file holds something else than a mapping');
  return node;
}
