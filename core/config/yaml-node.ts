import type { Place } from '../model/violation.js';

/** Where a node stands in its file: UTF-16 offsets into the text, `end` exclusive, quotes and brackets included. */
export interface YamlSpan {
  readonly start: number;
  readonly end: number;
}

interface YamlBase {
  readonly place: Place;
  readonly span: YamlSpan;
}

/** A scalar; `source` is what the file says, without quotes, so that a refusal can show what was lost. */
export type YamlScalar = YamlBase & { readonly source: string } & (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null'; readonly value: null }
  );

/** A list; an alias inside it is the very node that its anchor names. */
export interface YamlSequence extends YamlBase {
  readonly kind: 'sequence';
  readonly style: 'block' | 'flow';
  readonly items: readonly YamlNode[];
}

/** A mapping; its keys are strings and it is a Map, so that no key meets a prototype (contract 1). */
export interface YamlMapping extends YamlBase {
  readonly kind: 'mapping';
  readonly style: 'block' | 'flow';
  readonly entries: ReadonlyMap<string, YamlEntry>;
}

/** A member of a mapping. */
export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
}

export type YamlNode = YamlScalar | YamlSequence | YamlMapping;

/** A file's text with the one document in it; `text` is what the spans point into. */
export interface YamlDocument {
  readonly file: string;
  readonly text: string;
  readonly root: YamlNode;
}
