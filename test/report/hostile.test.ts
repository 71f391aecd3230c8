import { describe, expect, test } from 'vitest';
import { annotationsOf } from '../../core/report/annotations.js';
import { compareReports } from '../../core/report/compare.js';
import { renderJunit } from '../../core/report/junit.js';
import { renderLogCommands } from '../../core/report/log-commands.js';
import { renderMarkdown, SUMMARY_BUDGET } from '../../core/report/markdown.js';
import { readMarker } from '../../core/report/marker.js';
import { renderReportJson } from '../../core/report/report-json.js';
import { reportOfRun } from '../../core/report/report-of-run.js';
import { renderRunText } from '../../core/report/run-text.js';
import { renderSarif } from '../../core/report/sarif.js';
import { visible } from '../../core/report/visible.js';
import { HOSTILE, hostileReport, hostileTrace, TOKEN } from './hostile.js';
import { junitFaults, sarifFaults } from './published.js';
import { htmlOf, pageOf } from './read-html.js';

/** Control, bidirectional and invisible characters that no output may hold; line feeds are looked at by line. */
const UNSEEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]|[\u{e0000}-\u{e007f}]/u;

const ELEMENTS =
  /^(?:h2|h3|p|strong|em|ul|li|hr|pre|code(?: class=language-(?:text|mermaid))?|table|thead|tbody|tr|t[hd](?: align=right)?|details|summary|br)$/;

const MARKER = { checkName: `check ${TOKEN} --> <b>@x`, headSha: 'a'.repeat(40), runId: '7', attempt: 2 };

function markdownOf(text: string): string {
  const report = reportOfRun(hostileReport(text));
  const earlier = reportOfRun(hostileReport(`earlier ${text}`));
  const comparison = compareReports(Buffer.from(renderReportJson(earlier)), report);
  expect(comparison).toMatchObject({ kind: 'compared' });
  const traces = new Map([[text, hostileTrace(text)]]);
  return renderMarkdown(report, { budget: SUMMARY_BUDGET, name: text, marker: MARKER, comparison, traces });
}

/** As a cell of a table shows it. */
const inCell = (text: string): string => text.replaceAll('\\|', '\\u005c|');

describe.each(HOSTILE)('%s', (_aim, text) => {
  test('takes no effect in Markdown, and is there to be read', () => {
    const markdown = markdownOf(text);
    expect(markdown).not.toMatch(UNSEEN);
    expect(markdown).not.toMatch(/##\[|^\s*::/m);
    const page = pageOf(htmlOf(markdown));
    expect(page.elements.filter((element) => !ELEMENTS.test(element))).toEqual([]);
    const outside = page.texts.filter(({ text: shown, inside }) => shown.includes(TOKEN) && !inside.includes('code'));
    expect(outside).toEqual([]);
    const codes = page.texts.filter(({ inside }) => inside.includes('code')).map((piece) => piece.text);
    const shown = visible(text);
    expect(codes.filter((code) => code === shown).length).toBeGreaterThan(5);
    expect(codes.filter((code) => code === inCell(shown)).length).toBeGreaterThan(3);
    expect(page.comments).toHaveLength(1);
    expect(readMarker(markdown)).toEqual(MARKER);
  });

  test('leaves every row of the table its four cells', () => {
    const html = htmlOf(markdownOf(text));
    const rows = html.match(/<tr>[\s\S]*?<\/tr>/g) ?? [];
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row.match(/<t[hd]/g)).toHaveLength(4);
    expect(html.match(/<details>/g)).toHaveLength(2);
  });

  test('writes a Mermaid chart of nothing but bars', () => {
    const chart = /```mermaid\n([\s\S]*?)\n```/.exec(markdownOf(text))?.[1]?.split('\n') ?? [];
    expect(chart.slice(0, 5)).toEqual([
      'gantt',
      '  title milliseconds since the first span began',
      '  dateFormat x',
      '  axisFormat %s',
      '  tickInterval 1000millisecond',
    ]);
    expect(chart.slice(5)).toHaveLength(3);
    for (const bar of chart.slice(5)) expect(bar).toMatch(/^ {2}\d+ [\p{L}\p{N} ·._/…-]+ :s\d+, \d+, \d+$/u);
  });

  test('is text in SARIF, by the published schema', () => {
    const sarif = renderSarif(reportOfRun(hostileReport(text)));
    expect(sarif).not.toMatch(UNSEEN);
    expect(sarif).not.toContain('##[');
    const log = JSON.parse(sarif);
    expect(sarifFaults(log)).toEqual([]);
    const messages: string[] = log.runs[0].results.map((result: { message: { text: string } }) => result.message.text);
    expect(messages).toHaveLength(5);
    for (const message of messages) {
      expect(message).not.toMatch(/(?<!\\)(?:\\\\)*\[/);
      expect(message.replaceAll('{{', '').replaceAll('}}', '')).not.toMatch(/[{}]/);
    }
    const read = messages.map((message) => message.replaceAll(/\\([\\[\]])/g, '$1').replaceAll(/([{}])\1/g, '$1'));
    expect(read).toContain(visible(text));
    for (const { locations } of log.runs[0].results)
      expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/^(?:[A-Za-z0-9!'()*._~-]|%[0-9A-F]{2}|\/)+$/);
  });

  test('is text in JUnit', () => {
    const xml = renderJunit(reportOfRun(hostileReport(text)));
    expect(xml).not.toMatch(UNSEEN);
    expect(xml.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([]);
    const { elements } = pageOf(xml.replace(/<\?.*?\?>/, ''));
    expect(elements.map((element) => element.split(' ')[0])).toEqual([
      'testsuites',
      'testsuite',
      'testcase',
      'failure',
      'system-out',
      'testcase',
      'error',
      'system-out',
    ]);
    expect(elements.join('\n')).toContain(`message=${visible(text)}`);
  });

  test('is data in report.json, unchanged', () => {
    const json = renderReportJson(reportOfRun(hostileReport(text)));
    expect(json).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|##\[/,
    );
    const report = JSON.parse(json);
    expect(report.results[1]).toMatchObject({ fixture: text.toWellFormed(), error: text.toWellFormed() });
    expect(json.split('\n').filter((line) => line.trimStart().startsWith('::'))).toEqual([]);
  });

  test('is no command in a log but the ones that we write', () => {
    const { annotations } = annotationsOf(reportOfRun(hostileReport(text)).findings);
    const lines = renderLogCommands(annotations).trimEnd().split('\n');
    expect(lines).toHaveLength(annotations.length);
    for (const [at, line] of lines.entries()) {
      expect(line).not.toMatch(UNSEEN);
      expect(line).not.toContain('##[');
      const [, level, properties = '', data = ''] = /^::(error|warning) ([^\r\n]*?)::([^\r\n]*)$/.exec(line) ?? [];
      expect(level).toBeDefined();
      const message = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
      expect(message).toBe(annotations[at]?.message);
      expect(message.split('\n').filter((part) => part.trimStart().startsWith('::')).length).toBeLessThanOrEqual(1);
      expect(message.split('\n')).toHaveLength(message.includes('\nrun: ') ? 4 : 3);
      expect(properties.split(',').map((property) => property.split('=')[0])).toEqual(['file', 'title']);
    }
  });

  test('stays on its line in the text', () => {
    const lines = renderRunText(hostileReport(text), { columns: null, colour: false }).split('\n');
    for (const line of lines)
      expect(line).not.toMatch(/^\s*::|##\[|[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});

test('is JUnit by the published schema, every one', async () => {
  const files = HOSTILE.map(([, text]) => renderJunit(reportOfRun(hostileReport(text))));
  expect(await junitFaults(...files)).toEqual([]);
});

test('covers at least forty ways', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
});
