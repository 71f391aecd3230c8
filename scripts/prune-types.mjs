// The compiler declares every file that it met; a user of the library sees those alone that the entries lead to.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const types = join(dirname(fileURLToPath(import.meta.url)), '..', 'build', 'types');
const ENTRIES = ['core/index.d.ts', 'core/agents/delegate/index.d.ts', 'bot/index.d.ts'];

/** @type {Set<string>} */
const reached = new Set();
const waiting = ENTRIES.map((file) => join(types, file));
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (reached.has(file)) continue;
  reached.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.js'/g))
    waiting.push(resolve(dirname(file), `${name}.d.ts`));
}
for (const entry of readdirSync(types, { withFileTypes: true, recursive: true })) {
  const file = join(entry.parentPath, entry.name);
  if (entry.isFile() && !reached.has(file)) rmSync(file);
}
