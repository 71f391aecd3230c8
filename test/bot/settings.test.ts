import { expect, test } from 'vitest';
import { faultOfKey } from '../../bot/io/private-key.js';
import { readSettings } from '../../bot/settings.js';

const GOOD = { APP_ID: '7', PRIVATE_KEY: 'a key', WEBHOOK_SECRET: 'sixteen letters!' };

/** As if every key were one. */
const sound = (): null => null;

const refusal = (environment: Record<string, string>): string => {
  try {
    readSettings(environment, sound);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'bot-settings') return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('returns the settings with their defaults when only what is required is set', () => {
  expect(readSettings(GOOD, sound)).toEqual({
    appId: 7,
    privateKey: { kind: 'pem', pem: 'a key' },
    webhookSecret: 'sixteen letters!',
    apiUrl: 'https://api.github.com',
    host: '127.0.0.1',
    port: 3000,
    webhookPath: '/api/github/webhooks',
    redisUrl: null,
    proxyUrl: null,
    logLevel: 'info',
    jobsAtOnce: 4,
    sweepMinutes: 60,
    graceSeconds: 8,
    takeoverSeconds: 30,
  });
});

test('returns a key with its line breaks when they were written as \\n', () => {
  expect(readSettings({ ...GOOD, PRIVATE_KEY: 'one\\ntwo' }, sound).privateKey).toEqual({
    kind: 'pem',
    pem: 'one\ntwo',
  });
});

test('returns the file of a key when that is named', () => {
  const { PRIVATE_KEY: _, ...rest } = GOOD;
  expect(readSettings({ ...rest, PRIVATE_KEY_PATH: 'key.pem' }, sound).privateKey).toEqual({
    kind: 'file',
    path: 'key.pem',
  });
});

test('refuses to do without a secret, and names everything else that is missing in the same breath', () => {
  const message = refusal({});
  for (const name of ['APP_ID', 'WEBHOOK_SECRET', 'PRIVATE_KEY']) expect(message).toContain(name);
});

test.each([
  ['WEBHOOK_SECRET', ''],
  ['WEBHOOK_SECRET', '   '],
  ['WEBHOOK_SECRET', 'development'],
  ['APP_ID', '0'],
  ['APP_ID', '-1'],
  ['APP_ID', '1e3'],
  ['PRIVATE_KEY_PATH', 'beside PRIVATE_KEY'],
  ['GITHUB_API_URL', 'api.github.com'],
  ['GITHUB_API_URL', 'ftp://api.github.com'],
  ['GITHUB_API_URL', 'http://github.example'],
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['WEBHOOK_PATH', 'listen'],
  ['WEBHOOK_PATH', '/hooks/?x'],
  ['REDIS_URL', 'localhost:6379'],
  ['REDIS_URL', 'https://redis.example'],
  ['WEBHOOK_PROXY_URL', 'smee.io/abc'],
  ['LOG_LEVEL', 'verbose'],
  ['JOBS_AT_ONCE', '0'],
  ['JOBS_AT_ONCE', '65'],
  ['SWEEP_MINUTES', '0'],
  ['GRACE_SECONDS', '-1'],
  ['TAKEOVER_SECONDS', '1'],
])('refuses %s when it is %j, by name', (name, value) => {
  const message = refusal({ ...GOOD, [name]: value });
  expect(message).toContain(name);
  // What was set may be a secret.
  if (value.trim().length > 3) expect(message).not.toContain(value);
});

test.each([
  ['PRIVATE_KEY_PATH', { PRIVATE_KEY_PATH: '/nowhere/key.pem' }],
  ['PRIVATE_KEY', { PRIVATE_KEY: 'no key' }],
])('names a missing APP_ID, a short secret and what is wrong with %s in one refusal', (variable, key) => {
  const environment = { WEBHOOK_SECRET: 'short', PORT: '-1', ...key };
  let said = '';
  try {
    readSettings(environment, faultOfKey);
  } catch (error) {
    said = String(error);
  }
  for (const name of ['APP_ID', 'WEBHOOK_SECRET', 'PORT', variable]) expect(said.split(/[: ;]+/)).toContain(name);
});

test('refuses a proxy of webhooks in production', () => {
  const environment = { ...GOOD, WEBHOOK_PROXY_URL: 'https://smee.io/abc' };
  expect(readSettings(environment, sound).proxyUrl).toBe('https://smee.io/abc');
  expect(refusal({ ...environment, NODE_ENV: 'production' })).toContain('WEBHOOK_PROXY_URL');
});
