// Cuts test/github/openapi.json out of GitHub's published OpenAPI description.
//
//   mkdir /tmp/cut && cd /tmp/cut && npm i --ignore-scripts @octokit/openapi@23.0.2
//   node scripts/cut-openapi.mjs /tmp/cut
//
// The package is 404 MB, so it is never a dependency; the cut keeps the operations and webhooks that
// this project uses, the schemas that they reach, and no prose.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations, webhooks } from './cut-openapi-list.mjs';

const PACKAGE = '@octokit/openapi';
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
// Prose and documentation: no validator reads it, and it is nine tenths of the file.
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'x-github', 'tags', 'title']);

/** @typedef {{ [key: string]: unknown }} Json */

/** @param {unknown} value @returns {value is Json} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Drops prose, and says `nullable` in JSON Schema's own words: OpenAPI 3.0 has a keyword for it that
 * validators read differently beside `enum`, `$ref` or `allOf`.
 * @param {unknown} value @param {boolean} names whether the keys are names of somebody's members, not keywords
 * @returns {unknown}
 */
function plain(value, names = false) {
  if (Array.isArray(value)) return value.map((item) => plain(item));
  if (!isObject(value)) return value;
  /** @type {Json} */
  const kept = {};
  for (const [key, member] of Object.entries(value)) {
    if (names) kept[key] = plain(member);
    else if (key === 'enum' || key === 'required' || key === 'default') kept[key] = member;
    else if (!PROSE.has(key)) kept[key] = plain(member, key === 'properties');
  }
  return names ? kept : nullable(kept);
}

/** @param {Json} schema @returns {Json} */
function nullable({ nullable: isNullable, ...schema }) {
  if (isNullable !== true) return schema;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) schema['enum'] = [...schema['enum'], null];
  if (typeof schema['type'] === 'string') return { ...schema, type: [schema['type'], 'null'] };
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

/** @param {unknown} value @param {Set<string>} into */
function references(value, into) {
  if (Array.isArray(value)) for (const item of value) references(item, into);
  if (!isObject(value)) return;
  if (typeof value['$ref'] === 'string') into.add(value['$ref']);
  for (const member of Object.values(value)) references(member, into);
}

/** @param {Json} operation @returns {Json} */
function cutOperation(operation) {
  const { operationId, parameters, requestBody, responses } = operation;
  return { operationId, ...(plain({ parameters, requestBody, responses }) ?? {}) };
}

/** @param {Json} source @param {string} reference @returns {unknown} */
const at = (source, reference) =>
  reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((node, step) => (isObject(node) ? node[step] : undefined), /** @type {unknown} */ (source));

/** @param {Json} source @param {Json} cut */
function addComponents(source, cut) {
  /** @type {{ [kind: string]: Json }} */
  const components = {};
  const pending = new Set();
  references(cut, pending);
  for (const reference of pending) {
    const [, , kind = '', name = ''] = reference.split('/');
    if (kind === 'examples') continue;
    const target = at(source, reference);
    if (target === undefined) throw new Error(`${reference} leads nowhere`);
    components[kind] ??= {};
    components[kind][name] = plain(target);
    references(components[kind][name], pending);
  }
  return Object.fromEntries(Object.entries(components).map(([kind, named]) => [kind, sorted(named)]));
}

/** @param {Json} named @returns {Json} */
const sorted = (named) => Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Mends two mistakes of the published text. The list of installations spells its items out and wants an account
 * to be a user and an enterprise at once, which none can be; its single installation is described rightly.
 * A pull request whose fork was deleted has no head repository, as its webhooks' description says.
 * @param {Json} source
 */
function mend(source) {
  const list = '#/paths/~1app~1installations/get/responses/200/content/application~1json/schema';
  member(source, list)['items'] = { $ref: '#/components/schemas/installation' };
  for (const name of ['pull-request', 'pull-request-simple']) {
    const head = member(source, `#/components/schemas/${name}/properties/head/properties`);
    head['repo'] = { nullable: true, anyOf: [head['repo']] };
  }
}

/** @param {Json} source @param {string} reference @returns {Json} */
function member(source, reference) {
  const found = at(source, reference);
  if (!isObject(found)) throw new Error(`${reference} has moved; look whether it still needs mending`);
  return found;
}

/** @param {Json} source @returns {Json} */
function cut(source) {
  mend(source);
  const wanted = new Set(operations);
  /** @type {{ [path: string]: Json }} */
  const paths = {};
  for (const [path, item] of Object.entries(/** @type {{ [path: string]: Json }} */ (source['paths'])))
    for (const method of METHODS) {
      const operation = /** @type {Json | undefined} */ (item[method]);
      if (operation === undefined || !wanted.delete(String(operation['operationId']))) continue;
      paths[path] = { ...paths[path], [method]: cutOperation(operation) };
    }
  if (wanted.size > 0) throw new Error(`no such operation: ${[...wanted].join(', ')}`);
  const published = /** @type {{ [name: string]: { post: Json } }} */ (source['x-webhooks']);
  const hooks = Object.fromEntries(
    webhooks.map((name) => {
      const hook = published[name];
      if (hook === undefined) throw new Error(`no such webhook: ${name}`);
      return [name, plain(/** @type {Json} */ (at(hook.post, '#/requestBody/content'))['application/json'])];
    }),
  );
  const kept = { paths: sorted(paths), webhooks: hooks };
  return { ...kept, components: addComponents(source, kept) };
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node scripts/cut-openapi.mjs <folder with node_modules>');
const from = join(folder, 'node_modules', PACKAGE);
const source = JSON.parse(readFileSync(join(from, 'generated/api.github.com.json'), 'utf8'));
const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
const target = fileURLToPath(new URL('../test/github/', import.meta.url));
const head = { package: PACKAGE, version, licence: 'MIT; see openapi.LICENSE', cutBy: 'scripts/cut-openapi.mjs' };
writeFileSync(`${target}openapi.json`, `${JSON.stringify({ 'x-source': head, ...cut(source) }, null, 1)}\n`);
writeFileSync(`${target}openapi.LICENSE`, readFileSync(join(from, 'LICENSE'), 'utf8'));
execFileSync('npx', ['biome', 'format', '--write', `${target}openapi.json`], { stdio: 'inherit' });
