import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gateError } from '../../core/index.js';
import type { PrivateKey } from '../settings.js';

/** The text of the app's key; throws GateError `bot-settings` when it cannot be read, or is no key. */
export function readKey(key: PrivateKey): string {
  const found = keyOf(key);
  if (found.kind === 'pem') return found.pem;
  throw gateError('bot-settings', {
    blame: 'configuration',
    message: found.fault,
    remedy: 'set the variables as docs/bot.md lists them',
    cause: found.cause,
  });
}

/** What is wrong with a key, as a message says it; null for a sound one. */
export function faultOfKey(key: PrivateKey): string | null {
  const found = keyOf(key);
  return found.kind === 'pem' ? null : found.fault;
}

type Found =
  | { readonly kind: 'pem'; readonly pem: string }
  | { readonly kind: 'faulty'; readonly fault: string; readonly cause: unknown };

/** The file's name is not repeated: whoever mixes the two variables up would have the key itself in the message. */
function keyOf(key: PrivateKey): Found {
  const variable = key.kind === 'pem' ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH';
  let pem: string;
  try {
    pem = key.kind === 'pem' ? key.pem : readFileSync(key.path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    return { kind: 'faulty', fault: `the file that ${variable} names cannot be read${code}`, cause };
  }
  try {
    createPrivateKey(pem);
    return { kind: 'pem', pem };
  } catch (cause) {
    const fault = `${variable} gives no private key, which is the whole .pem file from the app's page, its first and last line included`;
    return { kind: 'faulty', fault, cause };
  }
}
