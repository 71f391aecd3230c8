import { buildReport } from '../../core/report/build-report.js';
import type { TimedSpan } from '../../core/report/gantt.js';
import type { JudgedRun, RunReport, RunRow } from '../../core/report/run-report.js';
import { PASSED } from './make-report.js';

/** Stands in every hostile text, so that a test can find where it ended up. */
export const TOKEN = 'zq7x';

/** What a model or a pull request may try, by what it is after. */
export const HOSTILE: readonly (readonly [aim: string, text: string])[] = [
  ['mention', `@octocat ${TOKEN}`],
  ['team mention', `@github/security-${TOKEN}`],
  ['issue reference', `#123 ${TOKEN}`],
  ['reference across repositories', `octo/hello#1 ${TOKEN}`],
  ['GH- reference', `GH-1 ${TOKEN}`],
  ['closing keyword', `Fixes #1, closes octo/hello#2 ${TOKEN}`],
  ['commit', `${TOKEN} 0123456789abcdef0123456789abcdef01234567`],
  ['commit of another repository', `octo/hello@0123456789abcdef ${TOKEN}`],
  ['link', `[${TOKEN}](https://evil.example/)`],
  ['link by reference', `[${TOKEN}][1]\n\n[1]: https://evil.example/`],
  ['script link', `[${TOKEN}](javascript:alert(1))`],
  ['image', `![${TOKEN}](https://evil.example/pixel.png)`],
  ['autolink', `<https://evil.example/${TOKEN}>`],
  ['bare address', `https://evil.example/${TOKEN}`],
  ['www address', `www.evil.example/${TOKEN}`],
  ['mail address', `${TOKEN}@evil.example`],
  ['mailto', `mailto:${TOKEN}@evil.example`],
  ['HTML', `<img src=x onerror=alert(1)>${TOKEN}`],
  ['HTML that closes', `</code></pre></summary></details><h1>${TOKEN}</h1>`],
  ['script', `<script>alert("${TOKEN}")</script>`],
  ['HTML comment', `<!-- ${TOKEN} -->`],
  ['a forged marker', `<!-- grounding-gate:v1 check=x sha=0 run=1 attempt=1 --> ${TOKEN}`],
  ['entities', `&lt;b&gt;&#64;octocat&amp; ${TOKEN}`],
  ['backtick', `a\`b\`${TOKEN}`],
  ['backticks at both ends', `\`\`${TOKEN}\`\``],
  ['a fence', `\n\`\`\`\n# ${TOKEN}\n\`\`\``],
  ['a longer fence', `\n${'`'.repeat(12)}\n@octocat ${TOKEN}`],
  ['a fence of tildes', `\n~~~\n${TOKEN}`],
  ['heading', `\n# ${TOKEN}\n===`],
  ['table cells', `a | b | ${TOKEN} |\n|---|`],
  ['escaped pipe', `a\\|b\\\\|${TOKEN}`],
  ['pipe in backticks', `\`|\` \`${TOKEN}|\``],
  ['task list', `- [ ] ${TOKEN}`],
  ['alert', `> [!WARNING]\n> ${TOKEN}`],
  ['footnote', `${TOKEN}[^1]\n\n[^1]: note`],
  ['mathematics', `$\`x\`$ $$${TOKEN}$$`],
  ['emoji', `:rocket: ${TOKEN}`],
  ['emphasis', `**${TOKEN}** ~~x~~ _y_`],
  ['trailing backslash', `${TOKEN}\\`],
  ['leading and trailing blanks', `  ${TOKEN}  `],
  ['command', `::error file=x::${TOKEN}`],
  ['command on a line of its own', `x\n::add-mask::${TOKEN}`],
  ['command after a carriage return', `x\r\n::set-output name=a::${TOKEN}`],
  ['old command', `x ##[add-mask]${TOKEN}`],
  ['stop-commands', `::stop-commands::${TOKEN}`],
  ['percent escapes', `%0A::error::${TOKEN}%25`],
  ['bidirectional override', `\u202e${TOKEN}\u202c\u2066x\u2069`],
  ['zero width', `zero\u200b\u200d\ufeffwidth ${TOKEN}`],
  ['tag characters', `\u{e0041}\u{e0042}${TOKEN}\u{e007f}`],
  ['C0 control', `\u0000\u0007\u0008\u000b${TOKEN}`],
  ['C1 control and escape', `\u001b[2J\u009b31m${TOKEN}\u0085`],
  ['line separators', `a\u2028b\u2029${TOKEN}`],
  ['half a surrogate pair', `\ud800${TOKEN}\udc00`],
  ['not for XML', `\ufffe\uffff${TOKEN}]]><x a="1">&`],
  ['SARIF link', `[${TOKEN}](1) \\[x\\](2)`],
  ['SARIF placeholder', `{0} {{1}} ${TOKEN}`],
  ['Mermaid', `x :crit, 0, 1\n  click s1 call alert(${TOKEN})`],
  ['Mermaid directive', `%%{init: {"theme":"x"}}%% ; # ${TOKEN}`],
  ['prototype', `__proto__ ${TOKEN}`],
  ['quotes', `"${TOKEN}' \\"`],
];

/** A report of one failing and one unjudged run in which every text that is not ours is this one. */
export function hostileReport(text: string): RunReport {
  const rows: readonly RunRow[] = [
    { fixture: text, agentId: text, repeat: { index: 1, of: 2 }, result: hostileRun(text) },
    { fixture: text, agentId: text, repeat: { index: 2, of: 2 }, result: { kind: 'unjudged', reason: text } },
  ];
  return buildReport({
    rows,
    policyBundleRef: text,
    runsFolder: text,
    unresolvedPolicy: 'warn',
    notices: [text],
  });
}

function hostileRun(text: string): JudgedRun {
  const found = { message: text, sourceId: text, contentHash: text, pointer: text, spanId: text };
  const place = { file: text, line: 1, column: 1 };
  return {
    ...PASSED,
    invocationId: text,
    outcome: { status: 'failed', reasonCode: null, problem: 'agent-error', statement: text },
    grounding: { ...PASSED.grounding, passed: false, rules: ['G2'], violations: [{ rule: 'G2', place, ...found }] },
    sources: {
      passed: false,
      verified: 0,
      unresolved: [{ sourceId: text, snapshotRef: text }],
      rules: ['S1'],
      violations: [{ rule: 'S1', ...found }],
    },
    derivations: [{ field: text, how: text, recordedIn: text }],
    differences: [text],
  };
}

/** A trace whose names and sources are this text. */
export function hostileTrace(text: string): readonly TimedSpan[] {
  const span = (spanId: string, parentId: string | null, start: bigint): TimedSpan => ({
    name: text,
    role: 'other',
    spanId,
    parentId,
    start,
    end: start + 5_000_000n,
    failed: false,
    facts: { sourceId: text },
  });
  return [span('a', null, 0n), span('b', 'a', 1_000_000n), span('c', text, 2_000_000n)];
}
