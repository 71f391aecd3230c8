// The licence texts of what is in a bundle, which go wherever the bundle goes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of our own licence and of every package among the inputs of a bundle, by name; a package without one ends the build. */
export function licences(/** @type {string} */ root, /** @type {readonly string[]} */ inputs) {
  const folders = new Set(inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  /** By the text of the licence, which many packages share to the letter. @type {Map<string, string[]>} */
  const holders = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder))
      .sort()
      .find((one) => /^licen[cs]e(?:\.|-|$)/i.test(one));
    const text = file === undefined ? fallback({ name, license }) : readFileSync(join(root, folder, file), 'utf8');
    const key = text.replaceAll('\r\n', '\n').trim();
    const title = `${name} ${version} (${license})`;
    if (!holders.get(key)?.includes(title)) holders.set(key, [...(holders.get(key) ?? []), title]);
  }
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  const texts = [...holders].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`);
  return [`grounding-gate (MIT)\n\n${own}\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Some packages name their licence and forget its text. */
function fallback(/** @type {{ name: string, license: string }} */ { name, license }) {
  if (typeof license !== 'string') throw new Error(`${name} is in the bundle and has no licence`);
  return `Published under the licence ${license}; the package holds no copy of its text.`;
}
