import type { JsonNode } from '../json/index.js';

/**
 * Reads strings that mostly repeat, such as the trace id of a file's spans: when the bytes are those of the string
 * before, that very string is returned, and a million spans share one copy of it. All nodes must be of one buffer.
 */
export class LastText {
  #from = 0;
  #length = 0;
  #text: string | undefined;
  readonly #words: boolean;

  /** `words` says that the strings stand in other files, too. */
  constructor(words: boolean) {
    this.#words = words;
  }

  /** What the node's string says, passed through `map`; undefined for no node, or one that is not a string. */
  read(node: JsonNode | undefined, map?: (text: string) => string): string | undefined {
    if (node === undefined) return undefined;
    if (this.#repeats(node)) return this.#text;
    const text = this.#words ? node.word() : node.string();
    this.#from = node.start;
    this.#length = node.end - node.start;
    this.#text = text === undefined || map === undefined ? text : map(text);
    return this.#text;
  }

  #repeats(node: JsonNode): boolean {
    const { bytes } = node.document;
    const { start } = node;
    if (node.end - start !== this.#length) return false;
    for (let i = this.#length - 1; i >= 0; i--) if (bytes[start + i] !== bytes[this.#from + i]) return false;
    return true;
  }
}
