import { describe, expect, test } from 'vitest';
import {
  parseYaml,
  YAML_BYTES_LIMIT,
  YAML_DEPTH_LIMIT,
  YAML_EXPANSION_LIMIT,
  type YamlNode,
} from '../../core/config/index.js';
import { codeOf } from '../support/code-of.js';

const read = (text: string): YamlNode => parseYaml(new TextEncoder().encode(text), { file: 'a.yaml' }).root;

/** A plain picture of a tree: Maps become lists of pairs, so that no key can hide. */
function plain(node: YamlNode): unknown {
  if (node.kind === 'sequence') return node.items.map(plain);
  if (node.kind === 'mapping') return [...node.entries].map(([key, entry]) => [key, plain(entry.value)]);
  return node.value;
}

describe('parseYaml', () => {
  test.each([
    [
      '1.2 core scalars',
      'a: [true, False, null, ~, 12, 0x1f, 0o17, 1.5, .inf, text]',
      [['a', [true, false, null, null, 12, 31, 15, 1.5, Number.POSITIVE_INFINITY, 'text']]],
    ],
    [
      'words that YAML 1.1 took for booleans as strings',
      'a: [yes, no, on, off, y]',
      [['a', ['yes', 'no', 'on', 'off', 'y']]],
    ],
    ['dates as strings', 'a: 2026-09-30', [['a', '2026-09-30']]],
    [
      'a merge key as a key',
      'a: &a {x: 1}\nb: {<<: *a}',
      [
        ['a', [['x', 1]]],
        ['b', [['<<', [['x', 1]]]]],
      ],
    ],
    [
      'keys that name prototypes',
      '__proto__: 1\nconstructor: 2\ntoString: 3',
      [
        ['__proto__', 1],
        ['constructor', 2],
        ['toString', 3],
      ],
    ],
    [
      'an alias',
      'a: &x [1, 2]\nb: *x',
      [
        ['a', [1, 2]],
        ['b', [1, 2]],
      ],
    ],
    ['the latest of two anchors of one name', '- &a x\n- &a y\n- *a', ['x', 'y', 'y']],
    [
      'an inner anchor that takes over the outer one',
      'k: &a [&a x, *a]\nl: *a',
      [
        ['k', ['x', 'x']],
        ['l', 'x'],
      ],
    ],
    [
      'block scalars and quotes',
      "a: |\n  x\n  y\nb: 'it''s'\nc: \"\\u00e9\"",
      [
        ['a', 'x\ny\n'],
        ['b', "it's"],
        ['c', 'é'],
      ],
    ],
    ['an explicit core tag', 'a: !!str 12', [['a', '12']]],
    ['an explicit document start', '---\na: 1\n', [['a', 1]]],
    ['a document that says its version', '%YAML 1.2\n---\na: yes\n', [['a', 'yes']]],
    [
      'CR LF line ends',
      'a: 1\r\nb: 2\r\n',
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
  ])('reads %s', (_, text, expected) => {
    expect(plain(read(text))).toEqual(expected);
  });

  test.each([
    ['an empty file', '', 'yaml-empty', 1, 1],
    ['only comments', '# nothing\n', 'yaml-empty', 1, 1],
    ['two documents', 'a: 1\n---\nb: 2\n', 'yaml-syntax', undefined, undefined],
    ['a document of YAML 1.1', '%YAML 1.1\n---\na: yes\n', 'yaml-syntax', undefined, undefined],
    ['broken syntax', 'a: 1\nb: [1, 2\nc: 3\n', 'yaml-syntax', 3, 1],
    ['a tab as indentation', 'a:\n\tb: 1\n', 'yaml-syntax', 2, 1],
    ['a NUL', 'a: "x\u0000"', 'yaml-syntax', 1, 6],
    ['a lone surrogate', 'a: 1\nb: "\\ud800"', 'yaml-syntax', 2, 4],
    ['a duplicate key', 'a: 1\nb: 2\na: 3\n', 'yaml-duplicate-key', 3, 1],
    ['a duplicate key in other quotes', 'x: {a: 1, "a": 2}', 'yaml-duplicate-key', 1, 12],
    ['a duplicate key written with an escape', 'a: 1\n"\\x61": 2', 'yaml-duplicate-key', 2, 2],
    ['a duplicate __proto__', '__proto__: 1\n__proto__: 2', 'yaml-duplicate-key', 2, 1],
    ['a custom tag', 'a: 1\nb: !ruby/object {}', 'yaml-tag', 2, 4],
    ['a JavaScript tag', 'a: !!js/function "x"', 'yaml-tag', 1, 4],
    ['a binary tag', 'a: !!binary "aGk="', 'yaml-tag', 1, 4],
    ['a core tag that does not fit', 'a: !!int x', 'yaml-tag', 1, 4],
    ['an undeclared tag handle', 'a: !e!x 1', 'yaml-tag', 1, 8],
    ['an empty scalar made a collection by a tag', 'a: !!map', 'yaml-tag', 1, 9],
    ['an alias of nothing', 'a: *b', 'yaml-alias', 1, 5],
    ['a cycle', '&a [1, *a]', 'yaml-alias', 1, 8],
    ['a cycle through a mapping', 'a: &a\n  b: &b\n    c: *a', 'yaml-alias', 3, 8],
    ['a number as a key', 'a: 1\n12: x', 'yaml-key', 2, 1],
    ['a null key', '~: x', 'yaml-key', 1, 1],
    ['a list as a key', '? [1]\n: x', 'yaml-key', 1, 3],
    ['an alias to a list as a key', 'a: &a [1]\n*a : x', 'yaml-key', 1, 7],
  ])('refuses %s', (_, text, code, line, column) => {
    expect(codeOf(() => read(text))).toMatchObject({ code, blame: 'configuration', file: 'a.yaml', line, column });
  });

  test.each([
    ['a UTF-8 byte order mark', [0xef, 0xbb, 0xbf, 0x61], 1, 1],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00], 1, 1],
    ['UTF-16, big end first', [0xfe, 0xff, 0x00, 0x61], 1, 1],
    ['a byte that is not UTF-8', [0x61, 0x3a, 0x20, 0xc3, 0xa9, 0x0a, 0x62, 0xc3, 0xa9, 0xff], 2, 3],
    ['a cut sequence at a line end', [0x61, 0xe2, 0x82, 0x0a, 0x62], 1, 2],
    ['an encoded surrogate', [0x61, 0xed, 0xa0, 0x80], 1, 2],
  ])('refuses %s', (_, bytes, line, column) => {
    expect(codeOf(() => parseYaml(Uint8Array.from(bytes), { file: 'a.yaml' }))).toMatchObject({
      code: 'yaml-encoding',
      line,
      column,
    });
  });

  test('refuses a file past the size limit, and reads one of that size', () => {
    const bytes = new Uint8Array(YAML_BYTES_LIMIT).fill(0x20);
    bytes.set(new TextEncoder().encode('a: 1\n'));
    expect(plain(parseYaml(bytes, { file: 'a' }).root)).toEqual([['a', 1]]);
    expect(codeOf(() => parseYaml(new Uint8Array(YAML_BYTES_LIMIT + 1), { file: 'a' })).code).toBe('yaml-too-large');
  });

  test('refuses nesting past the depth limit', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(read(nested(YAML_DEPTH_LIMIT - 1)).kind).toBe('sequence');
    expect(codeOf(() => read(nested(YAML_DEPTH_LIMIT))).code).toBe('yaml-syntax');
    expect(codeOf(() => read(nested(100_000))).code).toBe('yaml-syntax');
  });

  test('refuses an alias bomb of nine levels within a second', () => {
    const levels = Array.from({ length: 9 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}]`);
    expect(codeOf(() => read(['l0: &l0 lol', ...levels].join('\n'))).code).toBe('yaml-alias');
  });

  test('counts nodes after expansion: the limit is read, one more is refused', () => {
    // The root mapping, two keys, the anchored list with its items, the list of aliases, then 1 + items each alias.
    const document = (items: number): string =>
      `a: &a [${'0, '.repeat(99)}]\nb: [${'*a, '.repeat(98)}${'0, '.repeat(items)}]`;
    const others = 1 + 2 + 100 + 1 + 98 * 100;
    expect(read(document(YAML_EXPANSION_LIMIT - others)).kind).toBe('mapping');
    expect(codeOf(() => read(document(YAML_EXPANSION_LIMIT - others + 1))).code).toBe('yaml-alias');
  });

  test('reads more nodes than the limit when no alias is used', () => {
    const root = read(`[${'0, '.repeat(YAML_EXPANSION_LIMIT * 2)}]`);
    expect(root.kind === 'sequence' && root.items.length).toBe(YAML_EXPANSION_LIMIT * 2);
  });

  test('gives every node its span, brackets and quotes included', () => {
    const text = 'a: "x" # c\nb: [1, {c: \'d\'} , ] # ]\ne:\n- f\n-   g: # h\n';
    const { root } = parseYaml(new TextEncoder().encode(text), { file: 'a' });
    const spans: string[] = [];
    const walk = (node: YamlNode): void => {
      spans.push(text.slice(node.span.start, node.span.end));
      if (node.kind === 'sequence') node.items.forEach(walk);
      if (node.kind === 'mapping') for (const entry of node.entries.values()) walk(entry.value);
    };
    walk(root);
    expect(spans.slice(1)).toEqual(['"x"', "[1, {c: 'd'} , ]", '1', "{c: 'd'}", "'d'", '- f\n-   g', 'f', 'g', '']);
  });
});
