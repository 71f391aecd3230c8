import type { ConfigFiles } from '../config/ports.js';
import { readRegularFile } from './regular-file.js';

/** Configuration files on disk. */
export const diskConfigFiles: ConfigFiles = { read: readRegularFile };
