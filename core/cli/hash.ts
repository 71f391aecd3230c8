import { readInput } from '../io/input-file.js';
import { canonicalBytes, canonicalisationNames, isCanonicalisation, parseJson, sha256Hex } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { usage } from './options.js';

/** `grounding hash --as NAME FILE…`: a hash a line (`-` is standard input), or with `--bytes` the canonical bytes of one file, and nothing else. */
export async function execute(call: Call): Promise<Conclusion> {
  const name = call.options.required('as');
  if (!isCanonicalisation(name))
    throw gateError('canonicalisation-unknown', {
      blame: 'caller',
      message: `the canonicalisation ${JSON.stringify(name)} is not registered`,
      remedy: `use one of ${canonicalisationNames().join(', ')}`,
    });
  const bytesWanted = call.options.given('bytes');
  if (bytesWanted && call.args.length > 1) throw usage('--bytes is given with several files', 'name one file');

  if (call.args.filter((file) => file === '-').length > 1) throw usage('standard input is named twice', 'name - once');

  const documents = [];
  for (const file of call.args) documents.push({ file, bytes: await canonicalOf(file, name) });
  const [first] = documents;
  if (bytesWanted && first !== undefined) await deliver(call, first.bytes);
  else await deliver(call, documents.map(({ file, bytes }) => `${sha256Hex(bytes)}  ${oneLine(file)}\n`).join(''));
  return 'passed';
}

async function canonicalOf(path: string, canonicalisation: string): Promise<Uint8Array> {
  const { file, bytes } = await readInput(path);
  return canonicalBytes(parseJson(bytes, { file }), canonicalisation);
}
