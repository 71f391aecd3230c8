import { gateError } from '../core/index.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How the bot is to run; see `readSettings`. */
export interface Settings {
  readonly appId: number;
  readonly privateKey: PrivateKey;
  readonly webhookSecret: string;
  /** Where GitHub's API begins, without a slash at its end. */
  readonly apiUrl: string;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly webhookPath: string;
  /** Null keeps the queue in memory. */
  readonly redisUrl: string | null;
  /** A channel of smee.io, for development. */
  readonly proxyUrl: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly jobsAtOnce: number;
  readonly sweepMinutes: number;
  readonly graceSeconds: number;
  /** How long a killed instance's jobs stay its own. */
  readonly takeoverSeconds: number;
}

/** The key as text, or the file that it stands in. */
export type PrivateKey =
  | { readonly kind: 'pem'; readonly pem: string }
  | { readonly kind: 'file'; readonly path: string };

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Every variable that has a default; docs/bot.md lists them, and a test holds the two together. */
export const SETTING_DEFAULTS = {
  GITHUB_API_URL: 'https://api.github.com',
  HOST: '127.0.0.1',
  PORT: '3000',
  WEBHOOK_PATH: '/api/github/webhooks',
  REDIS_URL: '',
  WEBHOOK_PROXY_URL: '',
  LOG_LEVEL: 'info',
  JOBS_AT_ONCE: '4',
  SWEEP_MINUTES: '60',
  GRACE_SECONDS: '8',
  TAKEOVER_SECONDS: '30',
} as const;

/** The variables that have none. */
export const REQUIRED_SETTINGS = ['APP_ID', 'WEBHOOK_SECRET', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH'] as const;

const SHORTEST_SECRET = 16;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

type Name = keyof typeof SETTING_DEFAULTS | (typeof REQUIRED_SETTINGS)[number];

/** Looks whether a key is one; says what is wrong with it, or null. The real one is bot/io/private-key.ts. */
export type FaultOfKey = (key: PrivateKey) => string | null;

/** The settings that the environment makes; throws one GateError `bot-settings` that names everything that is wrong. */
export function readSettings(environment: Environment, faultOfKey: FaultOfKey): Settings {
  const reader = new Reader(environment, faultOfKey);
  const settings = {
    appId: reader.count('APP_ID', { least: 1, most: Number.MAX_SAFE_INTEGER }),
    privateKey: reader.privateKey(),
    webhookSecret: reader.secret(),
    apiUrl: reader.url('GITHUB_API_URL', ['https:', 'http:'])?.replace(/\/+$/, '') ?? '',
    host: reader.text('HOST'),
    port: reader.count('PORT', { least: 0, most: 65_535 }),
    webhookPath: reader.path('WEBHOOK_PATH'),
    redisUrl: reader.url('REDIS_URL', ['redis:', 'rediss:']),
    proxyUrl: reader.proxy(),
    logLevel: reader.level(),
    jobsAtOnce: reader.count('JOBS_AT_ONCE', { least: 1, most: 64 }),
    sweepMinutes: reader.count('SWEEP_MINUTES', { least: 1, most: 24 * 60 }),
    graceSeconds: reader.count('GRACE_SECONDS', { least: 0, most: 3600 }),
    takeoverSeconds: reader.count('TAKEOVER_SECONDS', { least: 2, most: 600 }),
  };
  reader.throwFaults();
  return settings;
}

/** Reads variables and gathers what is wrong with them; a faulty one comes out as something that is never used. */
class Reader {
  readonly #environment: Environment;
  readonly #faultOfKey: FaultOfKey;
  readonly #faults: string[] = [];

  constructor(environment: Environment, faultOfKey: FaultOfKey) {
    this.#environment = environment;
    this.#faultOfKey = faultOfKey;
  }

  throwFaults(): void {
    if (this.#faults.length === 0) return;
    throw gateError('bot-settings', {
      blame: 'configuration',
      message: `the bot does not start: ${this.#faults.join('; ')}`,
      remedy: 'set the variables as docs/bot.md lists them',
    });
  }

  text(name: Name): string {
    const given = this.#environment[name]?.trim() ?? '';
    if (given !== '') return given;
    return Object.hasOwn(SETTING_DEFAULTS, name) ? SETTING_DEFAULTS[name as keyof typeof SETTING_DEFAULTS] : '';
  }

  count(name: Name, { least, most }: { readonly least: number; readonly most: number }): number {
    const text = this.text(name);
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    this.#faults.push(text === '' ? `${name} is missing` : `${name} is no whole number from ${least} to ${most}`);
    return least;
  }

  /** Never a default: a secret that others know lets anyone tell the bot what happened. */
  secret(): string {
    const secret = this.text('WEBHOOK_SECRET');
    if (secret === '') this.#faults.push('WEBHOOK_SECRET is missing');
    else if (secret.length < SHORTEST_SECRET)
      this.#faults.push(`WEBHOOK_SECRET has fewer than ${SHORTEST_SECRET} characters`);
    return secret;
  }

  privateKey(): PrivateKey {
    const [text, path] = [this.text('PRIVATE_KEY'), this.text('PRIVATE_KEY_PATH')];
    if (text === '' && path === '')
      this.#faults.push('PRIVATE_KEY and PRIVATE_KEY_PATH are missing, and one is needed');
    if (text !== '' && path !== '') this.#faults.push('PRIVATE_KEY and PRIVATE_KEY_PATH are both set');
    // A variable cannot always hold line breaks, so that they are often written as \n.
    const key: PrivateKey = text === '' ? { kind: 'file', path } : { kind: 'pem', pem: text.replaceAll('\\n', '\n') };
    const fault = (text === '') === (path === '') ? null : this.#faultOfKey(key);
    if (fault !== null) this.#faults.push(fault);
    return key;
  }

  /** Null for none. Plain HTTP is taken on the loopback only, since the token goes along. */
  url(name: Name, protocols: readonly string[]): string | null {
    const text = this.text(name);
    if (text === '') return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.includes(url.protocol))
      this.#faults.push(`${name} is no address that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`);
    else if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) this.#faults.push(`${name} is not https`);
    return text;
  }

  proxy(): string | null {
    const url = this.url('WEBHOOK_PROXY_URL', ['https:', 'http:']);
    if (url !== null && this.#environment['NODE_ENV'] === 'production')
      this.#faults.push('WEBHOOK_PROXY_URL is for development, and NODE_ENV is production');
    return url;
  }

  path(name: Name): string {
    const path = this.text(name);
    if (!/^(\/[\w.-]+)+$/.test(path)) this.#faults.push(`${name} is no path such as ${SETTING_DEFAULTS.WEBHOOK_PATH}`);
    return path;
  }

  level(): Settings['logLevel'] {
    const found = LOG_LEVELS.find((level) => level === this.text('LOG_LEVEL'));
    if (found === undefined) this.#faults.push(`LOG_LEVEL is none of ${LOG_LEVELS.join(', ')}`);
    return found ?? 'info';
  }
}
