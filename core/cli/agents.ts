import type { AgentRegistry } from '../agents/agent.js';
import { unavailableText } from '../agents/unavailable-text.js';
import { oneLine } from '../model/errors.js';
import { shortened } from '../model/wording.js';
import type { Conclusion } from '../report/conclusion.js';
import { renderTable } from '../report/table.js';
import { openRegistry } from '../runner/open-registry.js';
import { registryJson, specificationsOf } from '../runner/registry-json.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { settingsOf } from './settings.js';

/** `grounding agents`: who is registered, and why others are unavailable. */
export async function execute(call: Call): Promise<Conclusion> {
  const registry = await openRegistry(settingsOf(call));
  try {
    await deliver(call, call.options.text('format') === 'json' ? registryJson(registry) : agentsText(registry));
    return 'passed';
  } finally {
    await registry.close();
  }
}

function agentsText(registry: AgentRegistry): string {
  const heading = ['agent', 'version', 'mode', 'action class', 'accepts', 'payload'];
  const rows = specificationsOf(registry).map((one) => [
    one.agentId,
    one.version,
    one.groundingMode,
    one.actionClass,
    one.accepts.join(' '),
    one.payload ?? '-',
  ]);
  const table = renderTable([heading, ...rows].map((row) => row.map((text) => ({ text: oneLine(shortened(text)) }))));
  const unavailable = registry.unavailable.map((one) => `unavailable: ${unavailableText(one)}\n`);
  const incompatible = registry.incompatible.map(
    ({ label, theirs, ours }) =>
      `incompatible: ${oneLine(`${label}: its card is of contract ${shortened(theirs)}, this build of ${ours}`)}\n`,
  );
  return table + unavailable.join('') + incompatible.join('');
}
