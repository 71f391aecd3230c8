export {
  canonicalBytes,
  canonicalisationNames,
  hashOf,
  isCanonicalisation,
  type Projection,
  project,
  registerCanonicalisation,
} from './canonicalisations.js';
export { byCodePoint } from './code-points.js';
export { type Composable, composeJson } from './compose.js';
export { sha256Hex } from './digest.js';
export { type JsonKind, JsonNode, jsonOf, parseJson, parseJsonLines, parseJsonSequence } from './document.js';
export { placesOf } from './places.js';
export { bufferOf, utf8Text } from './strings.js';
