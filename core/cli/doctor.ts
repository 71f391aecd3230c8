import type { SetupFinding } from '../doctor/index.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { examineSetup } from '../runner/examine-setup.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { settingsOf } from './settings.js';

/** `grounding doctor`: what would make the gate blind or red, each with how to mend it; it changes nothing. */
export async function execute(call: Call): Promise<Conclusion> {
  const { args, options, world } = call;
  const findings = await examineSetup({
    ...settingsOf(call),
    folder: world.cwd,
    fixtures: args,
    recordings: options.text('recordings') ?? 'recordings',
  });
  const conclusion = concludeSetup(findings);
  const isJson = options.choice('format', ['text', 'json']) === 'json';
  await deliver(call, isJson ? setupJson(findings, conclusion) : setupText(findings));
  return conclusion;
}

/** Where something could not be looked at, nobody knows what else there is to find. */
function concludeSetup(findings: readonly SetupFinding[]): Conclusion {
  if (findings.some(({ looked }) => !looked)) return 'refused';
  return findings.length === 0 ? 'passed' : 'failed';
}

function setupText(findings: readonly SetupFinding[]): string {
  if (findings.length === 0) return 'nothing found that would make the gate blind or red\n';
  const lines = findings.map(({ check, file, line, message, remedy }) => {
    const where = line === null ? file : `${file}:${line}`;
    return `${oneLine(`${where}: ${message}; ${remedy} [${check}]`)}\n`;
  });
  return `${lines.join('')}\n${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}\n`;
}

function setupJson(findings: readonly SetupFinding[], conclusion: Conclusion): string {
  return jsonText({
    conclusion,
    findings: findings.map(({ check, file, line, message, remedy, looked }) => ({
      check,
      file,
      line,
      message,
      remedy,
      looked,
    })),
  });
}
