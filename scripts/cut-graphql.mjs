// Cuts test/github/schema.graphql out of GitHub's published GraphQL schema.
//
//   mkdir /tmp/cut && cd /tmp/cut && npm i --ignore-scripts @octokit/graphql-schema@15.26.1
//   node scripts/cut-graphql.mjs /tmp/cut
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kind, parse, print, visit } from 'graphql';

const PACKAGE = '@octokit/graphql-schema';

/** What finding out who we are and which comment is ours needs, and no more. @type {{ [type: string]: string[] | 'all' }} */
const KEPT = {
  Query: ['id', 'viewer', 'repository', 'node', 'rateLimit'],
  Node: 'all',
  Actor: ['login', 'url', 'resourcePath'],
  User: ['id', 'databaseId', 'login', 'url', 'resourcePath'],
  Bot: ['id', 'databaseId', 'login', 'url', 'resourcePath'],
  Repository: ['id', 'databaseId', 'name', 'nameWithOwner', 'isPrivate', 'isFork', 'issue', 'pullRequest'],
  Issue: ['id', 'number', 'title', 'comments'],
  PullRequest: ['id', 'number', 'title', 'comments', 'headRefOid', 'baseRefOid', 'isDraft'],
  IssueComment: [
    'id',
    'databaseId',
    'body',
    'author',
    'viewerDidAuthor',
    'createdAt',
    'updatedAt',
    'url',
    'isMinimized',
  ],
  IssueCommentConnection: ['nodes', 'pageInfo', 'totalCount'],
  IssueCommentOrder: 'all',
  IssueCommentOrderField: 'all',
  OrderDirection: 'all',
  PageInfo: 'all',
  RateLimit: ['cost', 'limit', 'remaining', 'used', 'resetAt'],
  DateTime: 'all',
  URI: 'all',
  GitObjectID: 'all',
};
const BUILT_IN = new Set(['String', 'Int', 'Boolean', 'ID', 'Float']);

/** @param {import('graphql').TypeNode} type @returns {string} */
const nameOf = (type) => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

/** @param {import('graphql').TypeNode} type */
const known = (type) => BUILT_IN.has(nameOf(type)) || Object.hasOwn(KEPT, nameOf(type));

/** @param {import('graphql').FieldDefinitionNode} field @param {string[] | 'all'} fields */
function cutField(field, fields) {
  if (fields !== 'all' && !fields.includes(field.name.value)) return [];
  if (!known(field.type))
    throw new Error(`${field.name.value} answers ${nameOf(field.type)}, which the cut leaves out`);
  return [{ ...field, arguments: (field.arguments ?? []).filter((argument) => known(argument.type)) }];
}

/** @param {import('graphql').DefinitionNode} definition @returns {import('graphql').DefinitionNode[]} */
function cutDefinition(definition) {
  if (!('name' in definition) || definition.name === undefined) return [];
  if (!Object.hasOwn(KEPT, definition.name.value)) return [];
  const fields = KEPT[definition.name.value] ?? [];
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION)
    return [definition];
  return [
    {
      ...definition,
      interfaces: (definition.interfaces ?? []).filter((one) => Object.hasOwn(KEPT, one.name.value)),
      fields: (definition.fields ?? []).flatMap((field) => cutField(field, fields)),
    },
  ];
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node scripts/cut-graphql.mjs <folder with node_modules>');
const from = join(folder, 'node_modules', PACKAGE);
const document = parse(readFileSync(join(from, 'schema.graphql'), 'utf8'), { noLocation: true });
const bare = visit(document, {
  enter: (node) =>
    node.kind === Kind.DIRECTIVE ? null : 'description' in node ? { ...node, description: undefined } : undefined,
});
const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
const head = `# ${PACKAGE} ${version}, MIT (schema.LICENSE); cut by scripts/cut-graphql.mjs, do not edit.\n`;
const target = fileURLToPath(new URL('../test/github/', import.meta.url));
const cut = print({ kind: Kind.DOCUMENT, definitions: bare.definitions.flatMap(cutDefinition) });
writeFileSync(`${target}schema.graphql`, `${head}${cut}\n`);
writeFileSync(`${target}schema.LICENSE`, readFileSync(join(from, 'LICENSE.md'), 'utf8'));
