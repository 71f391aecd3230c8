export { Faults } from './faults.js';
export { MappingReader } from './mapping-reader.js';
export type { ConfigFiles } from './ports.js';
export { parseYaml, YAML_BYTES_LIMIT, YAML_DEPTH_LIMIT, YAML_EXPANSION_LIMIT } from './yaml.js';
export type { YamlDocument, YamlMapping, YamlNode, YamlSequence } from './yaml-node.js';
