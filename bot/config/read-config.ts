import { type CommitFiles, GateError, plainFile } from '../../core/index.js';
import { CONFIG_FILE, type GroundingConfig, parseGroundingConfig } from './grounding-config.js';

/** What a commit says about the bot. */
export type ReadConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly config: GroundingConfig; readonly sha: string }
  /** The file cannot be used; the reason names line and remedy. */
  | { readonly kind: 'broken'; readonly reason: string; readonly sha: string };

/** Reads a commit's `.github/grounding.yml`; rejects only when GitHub cannot be asked. */
export async function readConfig(files: CommitFiles): Promise<ReadConfig> {
  let sha = '';
  try {
    const entry = await plainFile(files, CONFIG_FILE);
    if (entry === null) return { kind: 'none' };
    sha = entry.sha;
    return { kind: 'read', config: parseGroundingConfig(await files.read(sha)), sha };
  } catch (error) {
    if (error instanceof GateError) return { kind: 'broken', reason: error.describe(), sha };
    throw error;
  }
}
