/** A shorter text is in too many places by chance to be taken out of everything. */
const SHORTEST = 8;
const SECRET_NAME =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|PRIVATE|CREDENTIAL|CONNECTION_STRING|DATABASE_URL|(?:^|_)(?:KEY|PAT|DSN)(?:_|$)/i;
/** Variables that every agent has, and that say nothing secret. */
const PUBLIC = new Set(['PATH', 'HOME', 'LANG']);

/** Takes known secrets out of every text that leaves the job. */
export interface Redactor {
  readonly secrets: readonly string[];
  scrub(text: string): string;
}

/**
 * Makes a redactor for what the job's environment holds: variables that are named like a secret, and those that an agent was given,
 * since an agent may print what it sees. Forms in which a text would carry them are covered: plain, in JSON, in an address, in base64.
 */
export function createRedactor(
  environment: Readonly<Record<string, string | undefined>>,
  given: { readonly agentVariables: readonly string[]; readonly token: string },
): Redactor {
  const named = new Set(given.agentVariables.filter((name) => !PUBLIC.has(name)));
  const values = Object.entries(environment)
    .filter(([name]) => SECRET_NAME.test(name) || named.has(name))
    .flatMap(([, value]) => (value === undefined ? [] : [value]));
  const secrets = [...new Set([given.token, ...values].flatMap(linesOf))].filter((one) => one.length >= SHORTEST);
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return {
    secrets,
    scrub: (text) => forms.reduce((scrubbed, form) => scrubbed.replaceAll(form, '***'), text),
  };
}

/** A key of several lines may be printed a line at a time. */
function linesOf(value: string): readonly string[] {
  return [value, ...value.split(/\r?\n/)].map((line) => line.trim());
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
  ];
}
