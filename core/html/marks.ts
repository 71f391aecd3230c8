import { isCanonicalisation, type JsonNode, placesOf, project } from '../json/index.js';
import { GateError } from '../model/errors.js';
import type { TamperTest } from '../model/stored-run.js';
import type { Finding } from '../report/finding.js';
import type { HiddenRange, Mark } from './document-lines.js';

/** Lines of one document that are marked; a run may break a rule a hundred thousand times. */
const MOST_MARKS = 300;

/** Where a test for tampering looks, so that the line can be marked. */
const LOOKED_AT: Partial<Record<TamperTest, { readonly file: 'envelope' | 'request'; readonly pointer: string }>> = {
  'folder-name': { file: 'envelope', pointer: '/invocation_id' },
  'trace-id': { file: 'envelope', pointer: '/telemetry/trace_id' },
  'child-differs': { file: 'envelope', pointer: '/delegations' },
  'child-missing': { file: 'envelope', pointer: '/delegations' },
  'input-hash': { file: 'request', pointer: '/input' },
};

/** A finding with its number on the page. */
export interface NumberedFinding extends Finding {
  readonly number: number;
}

/** The fragment of a finding on its page. */
export function faultHref({ number }: { readonly number: number }): string {
  return `#fault-${number}`;
}

/** The lines of a file that findings are about. */
export function marksIn(file: 'envelope.json' | 'request.json', findings: readonly NumberedFinding[]): readonly Mark[] {
  return findings
    .flatMap((finding): Mark[] => {
      const { place, rule } = finding;
      if (place.line === null || !place.file.endsWith(`/${file}`)) return [];
      return [{ line: place.line, column: place.column ?? 1, fault: { label: rule, href: faultHref(finding) } }];
    })
    .slice(0, MOST_MARKS);
}

/** The lines that tests for tampering looked at. */
export function tamperMarks(
  tests: readonly { readonly test: TamperTest; readonly href: string }[],
  document: { readonly name: 'envelope' | 'request'; readonly root: JsonNode },
): readonly Mark[] {
  const looked = tests.flatMap(({ test, href }) => {
    const at = LOOKED_AT[test];
    const node = at?.file === document.name ? document.root.locate(at.pointer) : undefined;
    return node === undefined ? [] : [{ node, href }];
  });
  const places = placesOf(looked.map(({ node }) => node));
  return looked.flatMap(({ node, href }) => {
    const place = places.get(node);
    return place === undefined ? [] : [{ ...place, fault: { label: 'tampered', href } }];
  });
}

/** Places that citations lead to, by pointer. */
export function targetMarks(pointers: readonly string[], root: JsonNode): ReadonlyMap<string, Mark> {
  const nodes = pointers.flatMap((pointer) => {
    const node = root.locate(pointer);
    return node === undefined ? [] : [{ pointer, node }];
  });
  const places = placesOf(nodes.map(({ node }) => node));
  return new Map(
    nodes.flatMap(({ pointer, node }): [string, Mark][] => {
      const place = places.get(node);
      return place === undefined ? [] : [[pointer, { line: place.line, column: place.column, fault: null }]];
    }),
  );
}

/** Members of the evidence's contents that no hash covers, which no renderer shows (contract 5), as stretches of the file. */
export function uncovered(envelope: JsonNode): readonly HiddenRange[] {
  return (envelope.get('evidence')?.items() ?? []).flatMap((item) => {
    const content = item.present('content');
    const canonicalisation = item.get('canonicalisation')?.string();
    if (content?.kind !== 'object' || canonicalisation === undefined || !isCanonicalisation(canonicalisation))
      return [];
    const kept = keysOf(content, canonicalisation);
    return kept === null ? [] : rangesOf(content, kept);
  });
}

function keysOf(content: JsonNode, canonicalisation: string): ReadonlySet<string> | null {
  try {
    const projected = project(content, canonicalisation);
    return projected === content ? null : new Set(projected.entries().map(([key]) => key));
  } catch (error) {
    if (error instanceof GateError) return null;
    throw error;
  }
}

/** From the end of the member before, so that the key goes too. */
function rangesOf(content: JsonNode, kept: ReadonlySet<string>): readonly HiddenRange[] {
  let before = content.start + 1;
  return content.entries().flatMap(([key, value]) => {
    const range = { from: before, to: value.end };
    before = value.end;
    return kept.has(key) ? [] : [range];
  });
}
