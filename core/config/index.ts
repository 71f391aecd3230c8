export { decodeText } from './decode-text.js';
export { type Fault, Faults } from './faults.js';
export { kindPhrase, type MappingExpectation, MappingReader } from './mapping-reader.js';
export { parseYaml, YAML_BYTES_LIMIT, YAML_DEPTH_LIMIT, YAML_EXPANSION_LIMIT } from './yaml.js';
export type {
  YamlDocument,
  YamlEntry,
  YamlMapping,
  YamlNode,
  YamlScalar,
  YamlSequence,
  YamlSpan,
} from './yaml-node.js';
