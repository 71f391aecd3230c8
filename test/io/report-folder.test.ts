import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openReportFolder } from '../../core/io/report-folder.js';
import { codeOf } from '../support/code-of.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MARK = { file: 'mark.json', text: 'ours\n', names: ['index.html', 'runs', 'mark.json'] };
const open = (folder: string, path = 'report') => openReportFolder({ path, folder }, MARK);
const hidden = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.'));

describe('openReportFolder', () => {
  test('puts the report there when it is finished, and nothing before', () => {
    const folder = temporaryFolder();
    const report = open(folder);
    report.write('runs/a.html', 'a');
    report.append('rows', '1,');
    report.append('rows', '2');
    report.compose('index.html', ['<', { appended: 'rows' }, '>', { appended: 'none' }]);
    expect(existsSync(join(folder, 'report'))).toBe(false);
    report.commit();
    expect(readdirSync(join(folder, 'report')).sort()).toEqual(['index.html', 'mark.json', 'runs']);
    expect(readFileSync(join(folder, 'report/index.html'), 'utf8')).toBe('<1,2>');
    expect(hidden(folder)).toEqual([]);
  });

  test('replaces an earlier report whole', () => {
    const folder = temporaryFolder({ 'report/mark.json': 'ours\n', 'report/runs/old.html': 'old' });
    const report = open(folder);
    report.write('runs/new.html', 'new');
    report.commit();
    report.discard();
    expect(readdirSync(join(folder, 'report/runs'))).toEqual(['new.html']);
    expect(readdirSync(folder)).toEqual(['report']);
  });

  test('leaves an earlier report as it was when it is given up', () => {
    const folder = temporaryFolder({ 'report/mark.json': 'ours\n', 'report/runs/old.html': 'old' });
    const report = open(folder);
    report.write('runs/new.html', 'new');
    report.append('rows', 'x');
    report.discard();
    report.discard();
    expect(readdirSync(join(folder, 'report/runs'))).toEqual(['old.html']);
    expect(readdirSync(folder)).toEqual(['report']);
  });

  test.each([
    ['a folder of something else', { 'report/thesis.txt': 'x' }],
    ['a report with something else beside it', { 'report/mark.json': 'ours\n', 'report/thesis.txt': 'x' }],
    ['a mark of another program', { 'report/mark.json': 'theirs\n' }],
    ['a file', { report: 'x' }],
  ])('refuses %s, and leaves it', (_, files) => {
    const folder = temporaryFolder(files);
    expect(codeOf(() => open(folder)).code).toBe('report-folder-refused');
    for (const [path, text] of Object.entries(files)) expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(hidden(folder)).toEqual([]);
  });

  test('refuses a link, wherever it leads', () => {
    const folder = temporaryFolder({ 'elsewhere/mark.json': 'ours\n' });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'report'));
    expect(codeOf(() => open(folder)).code).toBe('report-folder-refused');
  });

  test('takes an empty folder', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'report'));
    open(folder).commit();
    expect(readdirSync(join(folder, 'report'))).toEqual(['mark.json']);
  });

  test('refuses what came there meanwhile', () => {
    const folder = temporaryFolder();
    const report = open(folder);
    report.write('index.html', 'x');
    mkdirSync(join(folder, 'report'));
    writeFileSync(join(folder, 'report/thesis.txt'), 'x');
    expect(codeOf(() => report.commit()).code).toBe('report-folder-refused');
    report.discard();
    expect(readdirSync(join(folder, 'report'))).toEqual(['thesis.txt']);
    expect(hidden(folder)).toEqual([]);
  });

  test('says that nothing can be written where there is no folder above', () => {
    expect(codeOf(() => open(temporaryFolder(), 'not/there/report')).code).toBe('output-unwritable');
  });

  test('never writes outside', () => {
    const report = open(temporaryFolder());
    expect(() => report.write('../x', 'x')).toThrow('leads out');
    report.discard();
  });
});
