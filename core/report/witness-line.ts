import type { SeenCounts, WitnessReport } from '../model/report.js';

/** What the conductor saw of a run, in one line without a line feed: the line `witness:` of grounding.txt. */
export function witnessLine({ citations, retrievals, chats }: WitnessReport): string {
  const cited = citations.witnessed + citations.declared;
  const served = `${citations.witnessed} of ${cited} citations served`;
  return `witness: ${served}; retrievals: ${countsText(retrievals)}; model calls: ${countsText(chats)}`;
}

function countsText({ witnessed, declared }: SeenCounts): string {
  return `${witnessed} witnessed, ${declared} declared`;
}
