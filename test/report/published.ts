import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { validateXML } from 'xmllint-wasm';

/** Files that others published, kept beside their licences; docs/decisions/report-formats.md says where they are from. */
const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`published/${name}`, import.meta.url)), 'utf8');

// One pattern of the schema of SARIF is none under the `u` flag.
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);

// The schema is of draft 4, of which it uses nothing that later drafts changed but the name of its id.
const { id: _id, $schema: _dialect, ...sarifSchema } = JSON.parse(read('sarif-2.1.0-rtm.5.json'));
const validSarif = ajv.compile(sarifSchema);

/** What the published schema of SARIF 2.1.0 has against a log. */
export function sarifFaults(log: unknown): readonly string[] {
  validSarif(log);
  return (validSarif.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** A schema of this repository. */
export function schemaOf(name: string) {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`../../schemas/${name}.schema.json`, import.meta.url)), 'utf8'));
}

/** What a schema of this repository has against a document. */
export function schemaFaults(name: string): (document: unknown) => readonly string[] {
  const validate = ajv.compile(schemaOf(name));
  return (document) => {
    validate(document);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** What the schema that Jenkins published has against JUnit XML, or what makes it no XML at all. */
export async function junitFaults(...reports: readonly string[]): Promise<readonly string[]> {
  const { errors } = await validateXML({
    xml: reports.map((contents, at) => ({ fileName: `report-${at}.xml`, contents })),
    schema: [{ fileName: 'jenkins-junit.xsd', contents: read('jenkins-junit.xsd') }],
  });
  return errors.map(({ message }) => message);
}
