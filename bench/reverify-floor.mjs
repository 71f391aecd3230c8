// The floor of bench/reverify.mjs: whoever judges an archive reads its files, parses each line and hashes each file.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder = ''] = process.argv;
let documents = 0;
for (const entry of readdirSync(folder, { withFileTypes: true })) {
  const path = join(folder, entry.name);
  const files = entry.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  for (const file of files) {
    const bytes = readFileSync(file);
    hash('sha256', bytes, 'hex');
    for (const text of file.endsWith('.jsonl') ? bytes.toString('utf8').split('\n') : [bytes.toString('utf8')]) {
      if (text === '') continue;
      JSON.parse(text);
      documents++;
    }
  }
}
console.log(documents);
