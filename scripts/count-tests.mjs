// Prints `passed failed` from vitest's JSON report, for .ci/run. A report that is missing, a file that did not load
// and a test that was skipped count as failed: none of them has shown anything.
import { existsSync, readFileSync } from 'node:fs';

/**
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: readonly { status: string, assertionResults: readonly unknown[] }[] }} report
 */
function count(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: report.numFailedTests + skipped + unloaded };
}

const file = process.argv[2] ?? '';
const { passed, failed } = existsSync(file) ? count(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 1 };
console.log(`${passed} ${failed}`);
