// Proves the table in layers.mjs: every import of core/, action/ and bot/, type imports included, and every use of
// the clock, the process, files, the network or chance, is one that its layer may have. Prints `file:line: …`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import { Scopes } from './layer-scopes.mjs';
import { IMPURE_GLOBALS, PURE_CRYPTO, PURE_NODE_MODULES } from './layer-world.mjs';
import { CHECKED, layerOf } from './layers.mjs';

/** @typedef {{ file: string, line: number, message: string }} LayerViolation */
/** @typedef {{ specifier: string, offset: number, names: readonly string[] }} Import */

/** Stands for an `import(name)` whose target no reader can see. */
const COMPUTED = '<computed>';

/**
 * All violations below `root`, in the order of the files' names.
 * @returns {readonly LayerViolation[]}
 */
export function checkLayers(/** @type {string} */ root) {
  return sourceFiles(root).flatMap((file) => checkFile({ file, text: readFileSync(join(root, file), 'utf8') }));
}

/**
 * The violations of one file; `file` is relative to the root, with slashes.
 * @param {{ file: string, text: string }} source
 * @returns {readonly LayerViolation[]}
 */
export function checkFile({ file, text }) {
  const at = (/** @type {number} */ offset, /** @type {string} */ message) => ({
    file,
    line: text.slice(0, offset).split('\n').length,
    message,
  });
  const layer = layerOf(file);
  if (layer === undefined) return [at(0, 'stands in no layer; add its folder to scripts/layers.mjs')];

  const parsed = parseSync(file, text);
  const broken = parsed.errors[0];
  if (broken !== undefined) return [at(broken.labels[0]?.start ?? 0, `does not parse: ${broken.message}`)];

  const facts = collect(parsed);
  const world = layer.world ?? [];
  return [
    ...facts.imports.flatMap((one) => {
      const problem = importProblem({ file, layer, one });
      return problem === null ? [] : [at(one.offset, problem)];
    }),
    ...facts.globals
      .filter(({ name }) => world !== '*' && !world.includes(name))
      .map(({ name, offset }) => at(offset, `\`${name}\` is out of reach in ${layer.folder}; take it as a port`)),
  ].sort((a, b) => a.line - b.line);
}

/**
 * What an import breaks, or null.
 * @param {{ file: string, layer: import('./layers.mjs').Layer, one: Import }} given
 */
function importProblem({ file, layer, one }) {
  const { specifier, names } = one;
  if (specifier === COMPUTED) return layer.world === '*' ? null : `${layer.folder} may not import by a computed name`;
  if (specifier.startsWith('.')) return relativeProblem({ file, layer, specifier });
  if (isBuiltin(specifier)) return layer.world === '*' ? null : builtinProblem({ layer, specifier, names });
  const allowed = (layer.packages ?? []).some(
    (name) => name === specifier || (name.endsWith('/*') && specifier.startsWith(name.slice(0, -1))),
  );
  return allowed ? null : `${layer.folder} may not import the package ${specifier}`;
}

/** @param {{ file: string, layer: import('./layers.mjs').Layer, specifier: string }} given */
function relativeProblem({ file, layer, specifier }) {
  const target = posix.normalize(posix.join(posix.dirname(file), specifier)).replace(/\.js$/, '.ts');
  // Schemas and package.json are data; they stand above every layer.
  if (target.endsWith('.json') && !target.startsWith('..')) return null;
  const to = layerOf(target);
  if (to === undefined) return `${layer.folder} may not import ${target}, which no layer holds`;
  if (layer.never?.includes(target)) return `${layer.folder} may not import ${target}`;
  if (to.folder === layer.folder)
    return layer.siblings === false ? `${layer.folder} may not import its neighbour ${target}` : null;
  return layer.mayImport.includes(to.folder) ? null : `${layer.folder} may not import ${to.folder} (${target})`;
}

/** @param {{ layer: import('./layers.mjs').Layer, specifier: string, names: readonly string[] }} given */
function builtinProblem({ layer, specifier, names }) {
  const full = specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  if (layer.world?.includes(full)) return null;
  if (!PURE_NODE_MODULES.has(full))
    return `${full} is out of reach in ${layer.folder}; declare a port and implement it in core/io`;
  const impure = full === 'node:crypto' ? names.find((name) => !PURE_CRYPTO.has(name)) : undefined;
  return impure === undefined ? null : `\`${impure}\` of node:crypto is out of reach in ${layer.folder}`;
}

/**
 * Every import (static, dynamic, re-export, `import('…')` type) and every use of a name that reaches the world. A name
 * that the file declares itself, as a parameter called `process`, is that parameter where it is in scope.
 * @param {import('oxc-parser').ParseResult} parsed
 */
function collect(parsed) {
  /** @type {Import[]} */
  const imports = [];
  /** @type {{ name: string, offset: number, node: unknown }[]} */
  const globals = [];
  const notReferences = new Set();
  const scopes = new Scopes();

  const add = (/** @type {any} */ source, /** @type {readonly string[]} */ names) => {
    if (source?.type === 'Literal' && typeof source.value === 'string')
      imports.push({ specifier: source.value, offset: source.start, names });
    else if (source !== null && source !== undefined)
      imports.push({ specifier: COMPUTED, offset: source.start, names });
  };
  const key = (/** @type {any} */ node) => {
    if (!node.computed) notReferences.add(node.key);
  };

  new Visitor({
    ...scopes.visitor(),
    ImportDeclaration(node) {
      for (const one of node.specifiers) {
        notReferences.add(one.local);
        if (one.type === 'ImportSpecifier') notReferences.add(one.imported);
      }
      add(
        node.source,
        node.specifiers.map((one) =>
          one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' ? one.imported.name : '*',
        ),
      );
    },
    ExportNamedDeclaration(node) {
      for (const one of node.specifiers) {
        notReferences.add(one.exported);
        if (node.source !== null) notReferences.add(one.local);
      }
      if (node.source !== null)
        add(
          node.source,
          node.specifiers.map((one) => (one.local.type === 'Literal' ? '*' : one.local.name)),
        );
    },
    ExportAllDeclaration(node) {
      add(node.source, ['*']);
    },
    ImportExpression(node) {
      add(node.source, ['*']);
    },
    TSImportType(node) {
      add(node.source, []);
    },
    MemberExpression(node) {
      if (!node.computed) notReferences.add(node.property);
      const { object, property } = node;
      const isMath = object.type === 'Identifier' && object.name === 'Math';
      if (isMath && 'name' in property && property.name === 'random')
        globals.push({ name: 'Math.random', offset: node.start, node });
    },
    TSQualifiedName(node) {
      notReferences.add(node.right);
    },
    Property(node) {
      // `{ process }` is a use; `{ process: x }` is a name.
      if (!node.shorthand) key(node);
    },
    MethodDefinition: key,
    PropertyDefinition: key,
    AccessorProperty: key,
    TSPropertySignature: key,
    TSMethodSignature(node) {
      key(node);
      scopes.enterSignature(node);
    },
    Identifier(node) {
      if (IMPURE_GLOBALS.has(node.name)) globals.push({ name: node.name, offset: node.start, node });
    },
  }).visit(parsed.program);

  return {
    imports,
    globals: globals.filter((one) => !notReferences.has(one.node) && !scopes.declares(one)),
  };
}

function sourceFiles(/** @type {string} */ root) {
  return CHECKED.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(ts|mts|js|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = checkLayers(join(dirname(fileURLToPath(import.meta.url)), '..'));
  for (const { file, line, message } of found) console.error(`${file}:${line}: ${message}`);
  if (found.length > 0) process.exit(1);
  console.log('layers: every import stands in the table');
}
