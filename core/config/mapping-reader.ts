import type { ErrorCode } from '../model/error-codes.js';
import { didYouMean, nearest } from '../model/nearest.js';
import type { Faults } from './faults.js';
import type { YamlEntry, YamlMapping, YamlNode, YamlSequence } from './yaml-node.js';

/** What a mapping is called in messages, which keys it may have, and where its faults go. */
export interface MappingExpectation {
  /** A noun phrase with its article: `a profile`. */
  readonly what: string;
  readonly keys: readonly string[];
  readonly faults: Faults;
}

/** What an integer may be; without `most` there is no largest one. */
export interface IntegerBounds {
  readonly least: number;
  readonly most?: number;
}

/**
 * Reads a mapping whose keys are known. Every fault goes to `faults` and the read returns a neutral value
 * (`''`, `0`, `[]`, null), so that the caller reads on and then calls `faults.settle()` before using anything.
 */
export class MappingReader {
  readonly #mapping: YamlMapping | null;
  readonly #node: YamlNode;
  readonly #expected: MappingExpectation;
  /** The keys that are not there while an unknown one looks like a misspelling of them. */
  readonly #misspelt = new Set<string>();

  constructor(node: YamlNode, expected: MappingExpectation) {
    this.#node = node;
    this.#expected = expected;
    this.#mapping = node.kind === 'mapping' ? node : null;
    if (this.#mapping === null) {
      this.#fault(
        'config-type',
        node,
        `${expected.what} is ${kindPhrase(node)}, a mapping was expected`,
        `write it with the keys ${expected.keys.join(', ')}`,
      );
    }
    this.#refuseUnknownKeys();
  }

  /** The node under a key that may be left out; null counts as left out. */
  optional(key: string): YamlNode | null {
    const value = this.#mapping?.entries.get(key)?.value;
    return value === undefined || value.kind === 'null' ? null : value;
  }

  /** The node under a required key, or null with a fault. */
  required(key: string): YamlNode | null {
    const value = this.optional(key);
    // One fault is enough for a misspelt key: it says which one is meant.
    if (value === null && this.#mapping !== null && !this.#misspelt.has(key)) {
      this.#fault('config-missing-key', this.#node, `${this.#expected.what} lacks ${key}`, `add ${key}`);
    }
    return value;
  }

  /** A required, non-empty string, or `''` with a fault. */
  string(key: string): string {
    const node = this.required(key);
    return node === null ? '' : (this.stringOf(node, key) ?? '');
  }

  /** A non-empty string, or null when it is left out or at fault. */
  optionalString(key: string): string | null {
    const node = this.optional(key);
    return node === null ? null : this.stringOf(node, key);
  }

  /** A required safe integer, or 0 with a fault. */
  integer(key: string): number {
    const node = this.required(key);
    return node === null ? 0 : (this.#integerOf(node, key) ?? 0);
  }

  /** A safe integer within the bounds, both included, or null when it is left out or at fault. */
  optionalInteger(key: string, { least, most }: IntegerBounds): number | null {
    const node = this.optional(key);
    const value = node === null ? null : this.#integerOf(node, key);
    if (node === null || value === null) return value;
    if (value < least)
      this.#fault('config-value', node, `${key} is ${value}, at least ${least} was expected`, 'write a larger number');
    else if (most !== undefined && value > most)
      this.#fault('config-value', node, `${key} is ${value}`, `use ${most} at most`);
    else return value;
    return null;
  }

  /** True or false, or null when it is left out or at fault. */
  optionalBoolean(key: string): boolean | null {
    const node = this.optional(key);
    if (node === null || node.kind === 'boolean') return node?.value ?? null;
    this.#fault(
      'config-type',
      node,
      `${key} is ${kindPhrase(node)}, true or false was expected`,
      'write true or false',
    );
    return null;
  }

  /** A required list, or null with a fault. */
  sequence(key: string): YamlSequence | null {
    const node = this.required(key);
    return node === null ? null : this.sequenceOf(node, key);
  }

  /** The node as a list, or null with a fault. */
  sequenceOf(node: YamlNode, name: string): YamlSequence | null {
    if (node.kind === 'sequence') return node;
    this.#fault('config-type', node, `${name} is ${kindPhrase(node)}, a list was expected`, `write ${name} as a list`);
    return null;
  }

  /** The non-empty strings of a list; items at fault are left out. */
  strings(sequence: YamlSequence | null, name: string): string[] {
    const values = (sequence?.items ?? []).map((item) => this.stringOf(item, `an item of ${name}`));
    return values.filter((value) => value !== null);
  }

  /** The node as a non-empty string, or null with a fault that says how to quote what YAML took for something else. */
  stringOf(node: YamlNode, name: string): string | null {
    if (node.kind === 'string' && node.value !== '') return node.value;
    if (node.kind === 'string') this.#fault('config-value', node, `${name} is an empty string`, 'write a value');
    else if (node.kind === 'mapping' || node.kind === 'sequence') {
      this.#fault('config-type', node, `${name} is ${kindPhrase(node)}, a string was expected`, 'write one string');
    } else {
      const message = `${name} without quotes is ${kindPhrase(node)}, a string was expected`;
      this.#fault('config-type', node, message, `put it in quotes: "${node.source}"`);
    }
    return null;
  }

  /** Adds a fault of this mapping at a node. */
  #fault(code: ErrorCode, node: YamlNode, message: string, remedy: string): void {
    this.#expected.faults.add({ code, message, remedy, place: node.place });
  }

  #integerOf(node: YamlNode, name: string): number | null {
    if (node.kind === 'number' && /^[-+]?[0-9]+$/.test(node.source) && Number.isSafeInteger(node.value))
      return node.value;
    this.#fault(
      'config-type',
      node,
      `${name} is ${kindPhrase(node)}, an integer was expected`,
      'write plain digits without quotes',
    );
    return null;
  }

  #refuseUnknownKeys(): void {
    const { keys, what } = this.#expected;
    const entries = this.#mapping?.entries ?? new Map<string, YamlEntry>();
    const absent = new Set(keys.filter((key) => !entries.has(key)));
    for (const [name, { key }] of entries) {
      if (keys.includes(name)) continue;
      const meant = nearest(name, absent);
      if (meant !== null) this.#misspelt.add(meant);
      const message = `${what} has the unknown key ${JSON.stringify(name)}${didYouMean(name, absent)}`;
      this.#fault('config-unknown-key', key, message, `rename or remove it; the known keys are ${keys.join(', ')}`);
    }
  }
}

/** A node's kind as a message says it: `the number 12`, `a list`. */
function kindPhrase(node: YamlNode): string {
  if (node.kind === 'mapping') return 'a mapping';
  if (node.kind === 'sequence') return 'a list';
  if (node.kind === 'string') return 'a string';
  return node.source === '' ? 'nothing' : `the ${node.kind} ${node.source}`;
}
