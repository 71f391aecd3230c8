import type { AgentRegistry } from '../agents/agent.js';
import type { AgentSpecification } from '../agents/specification.js';
import type { Composable } from '../json/index.js';
import { oneLine } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import { jsonText } from '../report/json-text.js';
import { renderTable } from '../report/table.js';
import { openRegistry } from '../runner/open-registry.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';
import { settingsOf } from './settings.js';

/** `grounding agents`: who is registered, and why others are unavailable. */
export async function execute(call: Call): Promise<Conclusion> {
  const registry = await openRegistry(settingsOf(call));
  try {
    await deliver(call, call.options.text('format') === 'json' ? agentsJson(registry) : agentsText(registry));
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
  const table = renderTable([heading, ...rows].map((row) => row.map((text) => ({ text: oneLine(text) }))));
  const unavailable = registry.unavailable.map((one) => `unavailable: ${oneLine(`${one.label}: ${one.reason}`)}\n`);
  const incompatible = registry.incompatible.map(
    ({ label, theirs, ours }) =>
      `incompatible: ${oneLine(`${label}: its card is of contract ${theirs}, this build of ${ours}`)}\n`,
  );
  return table + unavailable.join('') + incompatible.join('');
}

function agentsJson(registry: AgentRegistry): string {
  return jsonText({
    agents: specificationsOf(registry).map(specificationJson),
    unavailable: registry.unavailable.map(({ label, reason }) => ({ label, reason })),
    incompatible: registry.incompatible.map(({ label, theirs, ours }) => ({
      label,
      contract_version: theirs,
      expected_contract_version: ours,
    })),
  });
}

function specificationJson(one: AgentSpecification): Composable {
  return {
    agent_id: one.agentId,
    version: one.version,
    description: one.description,
    action_class: one.actionClass,
    accepts: one.accepts,
    grounding_mode: one.groundingMode,
    payload: one.payload,
    derivations: new Map(
      [...one.derivations].map(([field, { how, recordedIn }]) => [field, { how, recorded_in: recordedIn }]),
    ),
    contract_version: one.contractVersion,
    schemas: new Map([...one.schemas].map(([name, { digest }]) => [name, digest])),
  };
}

function specificationsOf(registry: AgentRegistry): readonly AgentSpecification[] {
  return [...registry.agents.values()].map((agent) => agent.specification);
}
