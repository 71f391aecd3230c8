// `node scripts/picture.mjs`: the README's picture. Example agents run over fixtures of which one expects what its agent does not do, the
// comment of that is rendered as Markdown with the extensions of pull requests, and Chromium takes the picture.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const PICTURE = join(root, 'docs', 'failing-comment.png');
/** In CSS pixels: the column of a pull request's conversation, and as much of the comment as shows what it is. */
const SIZE = { width: 860, height: 660 };
const FIXTURES = ['hello-words', 'standards-ocean-climate', 'miscites-invented'];

const work = mkdtempSync(join(tmpdir(), 'grounding-picture-'));
try {
  const page = join(work, 'comment.html');
  writeFileSync(page, framed(micromark(comment(), { extensions: [gfm()], htmlExtensions: [gfmHtml()] })));
  execFileSync('chromium', [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--force-device-scale-factor=2',
    `--window-size=${SIZE.width},${SIZE.height}`,
    `--screenshot=${PICTURE}`,
    `file://${page}`,
  ]);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The report of a run that did not meet what its fixtures expect, since the one that expects the false citation says nothing of it here. */
function comment() {
  const fixtures = join(work, 'fixtures');
  mkdirSync(fixtures);
  for (const name of FIXTURES) cpSync(join(root, `examples/fixtures/${name}.json`), join(fixtures, `${name}.json`));
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(root, 'build/cli.js'), 'run', fixtures, '--runs', join(work, 'runs'), '--format', 'markdown'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DD_PRINCIPAL_ID: 'mailto:ci@example.org', DD_PRINCIPAL_NAME: 'CI' },
    },
  );
  if (status !== 1) throw new Error(`the run ended with ${status}: ${stderr}`);
  return stdout.replaceAll(`${fixtures}/`, 'fixtures/');
}

/** A frame as a conversation shows it; the text within is escaped by the renderer of the Markdown. */
function framed(/** @type {string} */ html) {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 20px; background: #fff; color: #1f2328; font: 14px/1.5 "DejaVu Sans", sans-serif }
    .comment { border: 1px solid #d1d9e0; border-radius: 6px }
    .by { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; color: #59636e }
    .by b { color: #1f2328 } .by span { border: 1px solid #d1d9e0; border-radius: 1em; padding: 0 7px; font-size: 12px }
    .text { padding: 4px 16px 16px }
    h2 { font-size: 20px; border-bottom: 1px solid #d1d9e0; padding-bottom: 5px } h3 { font-size: 16px }
    code { background: #eff1f3; border-radius: 6px; padding: 2px 5px; font: 12px "DejaVu Sans Mono", monospace }
    pre { background: #f6f8fa; border-radius: 6px; padding: 14px } pre code { background: none; padding: 0 }
    table { border-collapse: collapse } td, th { border: 1px solid #d1d9e0; padding: 6px 13px } ul { padding-left: 2em }
    li { margin: 4px 0 }
  </style><div class="comment"><div class="by"><b>github-actions</b> <span>bot</span> commented now</div>
  <div class="text">${html}</div></div>`;
}
