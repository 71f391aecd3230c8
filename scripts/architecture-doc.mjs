import { layersAsMarkdown } from './layers.mjs';

const BEGIN = '<!-- layers: begin -->';
const END = '<!-- layers: end -->';

/** docs/architecture.md with its table of layers renewed; the rest of the page is written by hand. */
export function architectureWithLayers(/** @type {string} */ page) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/architecture.md lacks ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${layersAsMarkdown()}\n${page.slice(end)}`;
}
