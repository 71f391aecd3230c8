import { type Profile, parseProfile } from '../policy/index.js';
import { readConfigFile } from './config-file.js';

/** The profile in a file, which must exist; throws GateError `config-*` or `yaml-*`. */
export function readProfile(file: string): Profile {
  const bytes = readConfigFile(file, 'write one, let grounding init do so, or name another with --profile');
  return parseProfile(bytes, { file });
}
