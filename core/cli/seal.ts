import type { Conclusion } from '../report/conclusion.js';
import { sealArchive } from '../runner/seal-archive.js';
import type { Call } from './command.js';
import { usage } from './options.js';
import { refuseIntoArchive } from './outside-archive.js';
import { resultStream } from './result-stream.js';
import { settingsOf } from './settings.js';

/** `grounding seal RUNS`: what every file of an archive is now, as a statement that can be signed. */
export async function execute(call: Call): Promise<Conclusion> {
  const folder = call.args[0] ?? settingsOf(call).runs;
  refuseIntoArchive(call, folder);
  const { runs, pieces } = await sealArchive(folder);
  if (runs === 0) throw usage(`${folder} holds no run`, 'name a folder of stored runs');
  const result = resultStream(call);
  try {
    for (const piece of pieces) await result.write(piece);
    await result.end();
    return 'passed';
  } finally {
    result.discard();
  }
}
