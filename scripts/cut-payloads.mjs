// Cuts test/github/payloads/ out of GitHub's published webhook examples.
//
//   mkdir /tmp/cut && cd /tmp/cut && npm i --ignore-scripts @octokit/webhooks-examples@7.6.1 @octokit/openapi@23.0.2
//   node scripts/cut-payloads.mjs /tmp/cut
//
// One example an event is enough: test/github/webhooks.ts lays the test server's own state over it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@octokit/webhooks-examples';

/** Event and the action of the example that is taken; the first one that an installed app was sent. */
const WANTED = [
  ['check_run', 'rerequested'],
  ['check_suite', 'rerequested'],
  ['installation', 'created'],
  ['installation_repositories', 'added'],
  ['issue_comment', 'created'],
  ['merge_group', 'checks_requested'],
  ['ping', undefined],
  ['pull_request', 'opened'],
  ['push', undefined],
  ['repository', 'renamed'],
  ['workflow_run', 'completed'],
];

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node scripts/cut-payloads.mjs <folder with node_modules>');
const from = join(folder, 'node_modules', PACKAGE);
const target = fileURLToPath(new URL('../test/github/payloads/', import.meta.url));
/** @type {{ name: string, examples: { [key: string]: unknown }[] }[]} */
const published = JSON.parse(readFileSync(join(from, 'api.github.com/index.json'), 'utf8'));
const { version, license, author } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));

/** @param {string | undefined} action */
const fits = (action) => (/** @type {{ [key: string]: unknown }} */ example) =>
  // A push that deletes a tag says little.
  example['action'] === action && example['deleted'] !== true;

for (const [event, action] of WANTED) {
  const examples = published.find((one) => one.name === event)?.examples.filter(fits(action)) ?? [];
  const example = examples.find((one) => 'installation' in one) ?? examples[0];
  if (example === undefined) throw new Error(`no example of ${event} ${action}`);
  writeFileSync(`${target}${event}.json`, `${JSON.stringify(example, null, 1)}\n`);
}

// The package ships no licence file, only this declaration; the terms are those of its sister package.
const terms = readFileSync(join(folder, 'node_modules/@octokit/openapi/LICENSE'), 'utf8');
const declared = `${PACKAGE} ${version}, ${license} as its package.json declares, by ${author}.\nCut by scripts/cut-payloads.mjs.\n`;
writeFileSync(`${target}LICENSE`, `${declared}\n${terms.slice(terms.indexOf('Permission is hereby'))}`);
execFileSync('npx', ['biome', 'format', '--write', target], { stdio: 'inherit' });
