import { YAML_BYTES_LIMIT } from '../config/index.js';
import { diskConfigFiles } from '../io/config-files.js';
import { gateError } from '../model/error-codes.js';

/** The bytes of a configuration file that must exist; throws GateError `config-*`, with `remedy` for a missing one. */
export function readConfigFile(file: string, remedy: string): Uint8Array {
  const bytes = diskConfigFiles.read(file, { limit: YAML_BYTES_LIMIT });
  if (bytes !== null) return bytes;
  throw gateError('config-missing', { blame: 'configuration', message: 'no such file', remedy, place: { file } });
}
