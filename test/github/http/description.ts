import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Json = { readonly [key: string]: unknown };

/** One parameter of an operation as GitHub describes it. */
type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Json };

/** One operation of GitHub's description: how its address reads and what its parts must look like. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly hasBody: boolean;
  readonly bodyRequired: boolean;
  readonly statuses: readonly string[];
}

/** An operation with the values of its path parameters, still encoded as text. */
export interface Match {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

const SOURCE = new URL('../openapi.json', import.meta.url);
// These parameters hold slashes, and GitHub takes them bare as well as encoded.
const MANY_SEGMENTS = new Set(['path', 'ref', 'basehead']);
const description = JSON.parse(readFileSync(SOURCE, 'utf8')) as Json;
const closed = closeBodies(description);

// Without inlining, a schema that hundreds of others hold is compiled once.
const ajv = new Ajv({ strict: false, allErrors: true, logger: false, inlineRefs: false });
formats.default(ajv);
ajv.addSchema(description, 'github');
ajv.addSchema(closed, 'closed');
const compiled = new Map<string, ValidateFunction>();
const parameterValidators = new WeakMap<Parameter, ValidateFunction>();

/** Every operation of the subset, the most specific address first. */
export const operations: readonly Operation[] = readOperations();

function at(root: unknown, ...steps: readonly string[]): unknown {
  let node: unknown = root;
  for (const step of steps) node = (node as Json | undefined)?.[step];
  return node;
}

function readOperations(): Operation[] {
  const paths = at(description, 'paths') as Record<string, Record<string, Json>>;
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => readOperation({ path, method, operation })),
  );
  const segments = (one: Operation) => one.path.split('/').length * 10 - one.names.length;
  return found.sort((a, b) => segments(b) - segments(a));
}

function readOperation({ path, method, operation }: { path: string; method: string; operation: Json }): Operation {
  const names: string[] = [];
  const pattern = path.replaceAll(/\{([^}]+)\}|\./g, (whole, name: string | undefined) => {
    if (name === undefined) return `\\${whole}`;
    names.push(name);
    return MANY_SEGMENTS.has(name) ? '(.+)' : '([^/]+)';
  });
  const parameters = ((operation['parameters'] ?? []) as Json[]).map(resolveParameter);
  return {
    id: String(operation['operationId']),
    method: method.toUpperCase(),
    path,
    // The contents of the root are asked for with an empty path.
    pattern: new RegExp(`^${pattern.replace('/contents/(.+)', '/contents/?(.*)')}$`),
    names,
    parameters,
    hasBody: operation['requestBody'] !== undefined,
    bodyRequired: at(operation, 'requestBody', 'required') === true,
    statuses: Object.keys(operation['responses'] as Json),
  };
}

function resolveParameter(parameter: Json): Parameter {
  const reference = parameter['$ref'];
  if (typeof reference !== 'string') return parameter as Parameter;
  return at(description, ...reference.slice(2).split('/')) as Parameter;
}

/** A copy in which an object of a request's body takes no member that GitHub does not describe: a misspelt one is a bug of ours. */
function closeBodies(source: Json): Json {
  const copy = structuredClone(source) as Json;
  for (const item of Object.values(copy['paths'] as Record<string, Record<string, Json>>))
    for (const operation of Object.values(item)) close(at(operation, 'requestBody', 'content'));
  return { ...copy, $id: 'closed' };
}

function close(node: unknown): void {
  if (Array.isArray(node)) node.forEach(close);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const schema = node as Record<string, unknown>;
  if (isObjectSchema(schema) && !('additionalProperties' in schema)) schema['additionalProperties'] = false;
  for (const [key, member] of Object.entries(schema)) if (!['anyOf', 'oneOf', 'allOf'].includes(key)) close(member);
}

function isObjectSchema(schema: Json): boolean {
  return typeof schema['properties'] === 'object' && (schema['type'] === 'object' || Array.isArray(schema['type']));
}

/** Finds the operation that answers a method and a path, or nothing when it is outside the subset. */
export function findOperation(method: string, path: string): Match | undefined {
  for (const operation of operations) {
    if (operation.method !== method) continue;
    const found = operation.pattern.exec(path);
    if (found === null) continue;
    const params = operation.names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')] as const);
    return { operation, params: Object.fromEntries(params) };
  }
  return undefined;
}

const pointerStep = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');

function check(root: 'github' | 'closed', steps: readonly string[], value: unknown): string[] {
  const reference = `${root}#/${steps.map((step) => encodeURIComponent(pointerStep(step))).join('/')}`;
  const known = compiled.get(reference) ?? ajv.compile({ $ref: reference });
  compiled.set(reference, known);
  if (known(value)) return [];
  return (known.errors ?? []).map(
    (error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
  );
}

const bodySteps = (operation: Operation) => [
  ...['paths', operation.path, operation.method.toLowerCase()],
  ...['requestBody', 'content', 'application/json', 'schema'],
];

/** Says how a request's body breaks GitHub's description; `unknown` are members that GitHub would ignore. */
export function checkBody(
  operation: Operation,
  body: unknown,
): { readonly broken: string[]; readonly unknown: string[] } {
  if (!operation.hasBody) return { broken: [], unknown: body === undefined ? [] : ['takes no body'] };
  if (body === undefined) return { broken: operation.bodyRequired ? ['needs a body'] : [], unknown: [] };
  const broken = check('github', bodySteps(operation), body);
  return { broken, unknown: broken.length > 0 ? [] : check('closed', bodySteps(operation), body) };
}

/** Says how the parameters in a request's address break the description. */
export function checkParameters(match: Match, query: URLSearchParams): string[] {
  const given = new Map<string, string>([...Object.entries(match.params), ...query]);
  const known = new Set(match.operation.parameters.map((parameter) => parameter.name));
  const strange = [...query.keys()].filter((name) => !known.has(name)).map((name) => `unknown query parameter ${name}`);
  return [
    ...strange,
    ...match.operation.parameters.flatMap((parameter) => checkParameter(parameter, given.get(parameter.name))),
  ];
}

function checkParameter(parameter: Parameter, text: string | undefined): string[] {
  if (text === undefined) return parameter.required === true ? [`parameter ${parameter.name} is missing`] : [];
  const validate = parameterValidators.get(parameter) ?? ajv.compile(asText(parameter.schema));
  parameterValidators.set(parameter, validate);
  const values = [text, ...(text.trim() !== '' && Number.isFinite(Number(text)) ? [Number(text)] : [])];
  if (text === 'true' || text === 'false')
    return validate(text === 'true') || validate(text) ? [] : [badly(parameter, text)];
  return values.some((value) => validate(value)) ? [] : [badly(parameter, text)];
}

const asText = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/')) as Json;

const badly = (parameter: Parameter, text: string) => `parameter ${parameter.name} cannot be ${JSON.stringify(text)}`;

/** Says how an answer breaks the description; errors that it does not list must have GitHub's basic shape. */
export function checkAnswer(
  operation: Operation,
  answer: { readonly status: number; readonly body: unknown },
): string[] {
  const status = String(answer.status);
  const base = ['paths', operation.path, operation.method.toLowerCase(), 'responses', status];
  if (!operation.statuses.includes(status)) {
    if (answer.status < 400) return [`status ${status} is not described`];
    return check('github', ['components', 'schemas', 'basic-error'], answer.body);
  }
  const steps = followReference(base);
  const schema = at(description, ...steps, 'content', 'application/json', 'schema');
  if (schema === undefined) return [];
  return check('github', [...steps, 'content', 'application/json', 'schema'], answer.body);
}

function followReference(steps: readonly string[]): readonly string[] {
  const reference = at(description, ...steps, '$ref');
  return typeof reference === 'string' ? reference.slice(2).split('/') : steps;
}

/** Says how a webhook's payload breaks GitHub's description of it; the name is like `pull-request-opened`. */
export function checkWebhook(name: string, payload: unknown): string[] {
  if (at(description, 'webhooks', name) === undefined) return [`webhook ${name} is outside the subset`];
  return check('github', ['webhooks', name, 'schema'], payload);
}
