import type { GroundingReport, UnknownSpans } from '../model/report.js';
import { isClosedWorld } from './recognition-findings.js';
import type { Facts } from './rule.js';

/** A hostile trace may name every span otherwise. */
const MAX_NAMES = 100;

/** The member `unknown` of a report: none outside the modes that close the world, and none when every span is known. */
export function unknownSpans({ mode, tree }: Facts): Pick<GroundingReport, 'unknown'> {
  if (!isClosedWorld(mode) || tree.unknown.length === 0) return {};
  const byName = new Map<string, UnknownSpans>();
  for (const { name, spanId } of tree.unknown) {
    const known = byName.get(name);
    if (known !== undefined) byName.set(name, { ...known, count: known.count + 1 });
    else if (byName.size < MAX_NAMES) byName.set(name, { name, count: 1, spanId });
  }
  return { unknown: [...byName.values()] };
}
