// Makes an archive of any size for bench/reverify.mjs: the stored-runs vectors over and over, each time under new ids.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const VECTORS = join(dirname(fileURLToPath(import.meta.url)), '../test/vectors/stored-runs');
const FILES = ['request.json', 'envelope.json', 'spans.jsonl'];
const ID = /01a0c455-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** Writes so many runs with their index into a new folder; returns how many bytes they have. @param {string} folder @param {number} count */
export function makeArchive(folder, count) {
  mkdirSync(folder, { recursive: true });
  const runs = join(VECTORS, 'runs');
  const names = readdirSync(runs).filter((name) => !name.endsWith('.jsonl'));
  const texts = names.map((name) => FILES.map((file) => readFileSync(join(runs, name, file), 'utf8')));
  const index = openSync(join(folder, 'invocations.jsonl'), 'w');
  let bytes = 0;
  for (let made = 0; made < count; made++) {
    const round = Math.floor(made / names.length);
    // The round goes into the time of the id, so that ids stay UUIDv7 and every round has its own.
    const renamed = (/** @type {string} */ text) =>
      text.replace(ID, (id) => (0x0190_0000 + round).toString(16).padStart(8, '0') + id.slice(8));
    const at = made % names.length;
    const run = join(folder, renamed(names[at] ?? ''));
    mkdirSync(run);
    for (const [i, file] of FILES.entries()) {
      const text = renamed(texts[at]?.[i] ?? '');
      bytes += Buffer.byteLength(text);
      writeFileSync(join(run, file), text);
      if (file !== 'envelope.json') continue;
      const line = `${text.replaceAll(/\n */g, '')}\n`;
      bytes += Buffer.byteLength(line);
      writeSync(index, line);
    }
  }
  closeSync(index);
  return bytes;
}
