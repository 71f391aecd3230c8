import type { SeenCounts, WitnessReport } from '../model/report.js';

/** What the conductor saw of a run, in one line without a line feed: the line `witness:` of grounding.txt. */
export function witnessLine({ citations, retrievals, chats }: WitnessReport, isolated?: boolean): string {
  const cited = citations.witnessed + citations.declared;
  const served = `${citations.witnessed} of ${cited} citations served`;
  return `witness: ${served}; retrievals: ${countsText(retrievals)}; model calls: ${countsText(chats)}${isolationText(isolated)}`;
}

/** Whether the agent was kept from everything else, where somebody asked for that. */
function isolationText(isolated: boolean | undefined): string {
  return isolated === undefined ? '' : `; isolated: ${isolated}`;
}

function countsText({ witnessed, declared }: SeenCounts): string {
  return `${witnessed} witnessed, ${declared} declared`;
}
