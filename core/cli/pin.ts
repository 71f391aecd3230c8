import { diskSourceFiles } from '../io/source-files.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { pinSource } from '../sources/index.js';
import type { Call } from './command.js';
import { settingsOf } from './settings.js';

/** `grounding pin FILE --ref REF --id-field KEY`: adds or renews a pinned copy in sources.yaml, and says what it pinned. */
export async function execute(call: Call): Promise<Conclusion> {
  const [file = ''] = call.args;
  const ref = call.options.required('ref');
  const idField = call.options.required('id-field');
  const { sourcesPath } = settingsOf(call).sources;
  const pinned = pinSource(diskSourceFiles, { sourcesPath, file, ref, idField });
  const records = `${pinned.records} ${pinned.records === 1 ? 'record' : 'records'}`;
  await call.world.out.write(`${oneLine(`${pinned.kind}: ${ref} ${pinned.sha256} ${pinned.path} (${records})`)}\n`);
  return 'passed';
}
