/** How much text a place takes: GitHub counts comments in characters and checks in bytes of UTF-8. */
export interface Budget {
  readonly unit: 'bytes' | 'characters';
  readonly limit: number;
}

/** A part of a Markdown document that may be shortened by whole items. */
export interface Section {
  /** What stands above the items. */
  readonly head: string;
  /** Complete in themselves: every fence and element that an item opens, it closes. */
  readonly items: readonly string[];
  /** How many items there are, where only those were made that could ever be shown. */
  readonly of?: number;
  /** Between items. */
  readonly separator: '\n' | '\n\n';
  /** What the items are, in the plural, for the line that says how many are shown. */
  readonly what: string;
  /** The section with the lowest number gets its room first. */
  readonly priority: number;
  /** How much of what is left it may take, from 0 to 1, before the others had their turn. */
  readonly share: number;
}

/**
 * Sections in their own order, as much of each as the budget lets in: every one gets its share by priority, then what is
 * left over goes round once more. A section that is cut says how many of its items it shows.
 */
export function fitSections(sections: readonly Section[], budget: Budget): string {
  const size = (text: string): number => (budget.unit === 'bytes' ? Buffer.byteLength(text) : text.length);
  const shown = new Map<Section, string>();
  let left = budget.limit;
  const byPriority = [...sections].filter(({ items }) => items.length > 0).sort((a, b) => a.priority - b.priority);
  for (const round of ['share', 'rest'] as const) {
    for (const section of byPriority) {
      const before = shown.get(section) ?? '';
      const room = size(before) + (round === 'share' ? left * section.share : left);
      const text = fitSection(section, { room, size });
      left += size(before) - size(text);
      shown.set(section, text);
    }
  }
  return sections.map((section) => shown.get(section) ?? '').join('');
}

interface Room {
  readonly room: number;
  readonly size: (text: string) => number;
}

/** A section with a blank line after it; empty when not even its head fits. */
function fitSection(section: Section, { room, size }: Room): string {
  const { head, items, separator } = section;
  const above = head === '' ? '' : `${head}\n\n`;
  const fixed = size(above) + GAP.length;
  const note = fixed + size(noteOf(section, items.length)) + 2;
  let used = fixed;
  let whole = 0;
  for (const item of items) {
    used += size(item) + (whole === 0 ? 0 : separator.length);
    if (used > room) break;
    whole++;
  }
  if (whole === items.length && (section.of ?? whole) === whole) return `${above}${items.join(separator)}${GAP}`;
  if (note > room) return '';
  const kept = keptItems(section, { room: room - note, size });
  return `${above}${[items.slice(0, kept).join(separator), noteOf(section, kept)].filter((part) => part !== '').join('\n\n')}${GAP}`;
}

function keptItems({ items, separator }: Section, { room, size }: Room): number {
  let used = 0;
  let kept = 0;
  for (const item of items) {
    used += size(item) + separator.length;
    if (used > room) break;
    kept++;
  }
  return kept;
}

const GAP = '\n\n';

function noteOf({ what, items, of = items.length }: Section, kept: number): string {
  return `_${kept} of ${of} ${what} shown; report.json holds all of them._`;
}
