import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { grounding } from '../cli/grounding.js';
import { PRINCIPAL } from '../cli/workshop.js';
import { ROOT } from './stage.js';

type Files = Readonly<Record<string, string>>;

/** The recordings of a project, as files below `recordings/`. */
export async function record(files: Files): Promise<Files> {
  const folder = mkdtempSync(join(tmpdir(), 'gg-record-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/grounding-gate'));
    const ended = await grounding(['run', '--record', 'recordings'], { cwd: folder, env: PRINCIPAL });
    expect(ended.stderr).toBe('');
    return Object.fromEntries(
      readdirSync(join(folder, 'recordings')).map((name) => [
        `recordings/${name}`,
        readFileSync(join(folder, 'recordings', name), 'utf8'),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
