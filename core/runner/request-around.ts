import { type JsonNode, parseJson } from '../json/index.js';

/**
 * A request around an input that is a document of its own. The other members stand above the input's first line, on lines
 * of 0 and less, so that all in the input keeps the line and column that it has in its file. Throws as `parseJson` does.
 */
export function requestAround(
  input: { readonly file: string; readonly bytes: Uint8Array },
  members: Readonly<Record<string, string | undefined>>,
): JsonNode {
  const { file, bytes } = input;
  // By itself first: text that is not one document must not become part of ours.
  parseJson(bytes, { file });
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}: ${JSON.stringify(value)},`],
  );
  const above = ['{', ...lines, '"input":', ''].join('\n');
  const text = Buffer.concat([Buffer.from(above), bytes, Buffer.from('}')]);
  return parseJson(text, { file, firstLine: -1 - lines.length });
}
