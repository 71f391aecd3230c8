// The licence texts of what is in a bundle, which go wherever the bundle goes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The texts of our own licence and of every package among the inputs of a bundle, by name; a package without one ends the build. */
export function licences(/** @type {string} */ root, /** @type {readonly string[]} */ inputs) {
  const folders = new Set(inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder))
      .sort()
      .find((one) => /^licen[cs]e(?:\.|-|$)/i.test(one));
    const text = file === undefined ? fallback({ name, license }) : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.replaceAll('\r\n', '\n').trim()}\n`;
  });
  const own = readFileSync(join(root, 'LICENSE'), 'utf8');
  return [`grounding-gate (MIT)\n\n${own.trim()}\n`, ...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Some packages name their licence and forget its text. */
function fallback(/** @type {{ name: string, license: string }} */ { name, license }) {
  if (typeof license !== 'string') throw new Error(`${name} is in the bundle and has no licence`);
  return `Published under the licence ${license}; the package holds no copy of its text.`;
}
