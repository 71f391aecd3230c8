export { hashOf, canonicalBytes, registerCanonicalisation, canonicalisationNames } from './canonicalisations.js';
export { sha256Hex } from './digest.js';
export { parseJson, parseJsonLines, jsonOf, type JsonNode, type JsonKind } from './document.js';
export { composeJson, type Composable } from './compose.js';
