// What reaches the world, for check-layers.mjs: a layer whose row in layers.mjs does not name it may not touch it.

/** Node modules that compute and touch nothing; from node:crypto only what is named here. */
export const PURE_NODE_MODULES = new Set([
  'node:buffer',
  'node:crypto',
  'node:path',
  'node:path/posix',
  'node:string_decoder',
  'node:url',
  'node:util',
]);
export const PURE_CRYPTO = new Set(['createHash', 'createHmac', 'hash', 'timingSafeEqual']);

/** Globals that reach the outside world, the clock or chance. */
export const IMPURE_GLOBALS = new Set([
  'process',
  'console',
  'fetch',
  'Date',
  'performance',
  'crypto',
  'globalThis',
  'global',
  'require',
  'randomUUID',
  'randomBytes',
  'getRandomValues',
]);
