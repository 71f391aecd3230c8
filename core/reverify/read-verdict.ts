import type { JsonNode } from '../json/index.js';
import {
  DOUBT_KINDS,
  type Doubt,
  GROUNDING_MODES,
  type GroundingReport,
  type SeenCounts,
  type SourcesReport,
  type UnresolvedItem,
} from '../model/report.js';
import { RUN_STATES, type StoredRunVerdict, TAMPER_TESTS, type Tampering } from '../model/stored-run.js';
import { GROUNDING_RULES, type RuleId, SOURCE_RULES, type Violation } from '../model/violation.js';

/** Reads a line that `reverify --format json` wrote; undefined when it is no verdict. */
export function readVerdict(row: JsonNode): StoredRunVerdict | undefined {
  const run = row.get('run')?.string();
  const state = RUN_STATES.find((one) => one === row.get('state')?.string());
  if (run === undefined || state === undefined) return undefined;
  const grounding = row.present('grounding');
  const sources = row.present('sources');
  return {
    run,
    state,
    grounding: grounding === undefined ? null : groundingOf(grounding),
    sources: sources === undefined ? null : sourcesOf(sources),
    error: row.get('error')?.string() ?? null,
    tampering: (row.get('tampering')?.items() ?? []).flatMap(tamperingOf),
    absent: textsOf(row.get('absent')),
    sourcesDrift: row.get('sources_drift')?.boolean() ?? false,
    sealed: row.get('sealed')?.boolean() ?? null,
  };
}

function groundingOf(node: JsonNode): GroundingReport {
  const mode = node.get('mode')?.string();
  const rules = textsOf(node.get('rules'));
  return {
    passed: node.get('passed')?.boolean() ?? false,
    mode: GROUNDING_MODES.find((one) => one === mode) ?? null,
    rules: GROUNDING_RULES.filter((rule) => rules.includes(rule)),
    violations: violationsOf(node, GROUNDING_RULES),
    retrievals: node.get('retrievals')?.integer() ?? 0,
    chats: node.get('chats')?.integer() ?? 0,
    ...unknownOf(node.get('unknown')),
    ...doubtsOf(node.get('warnings')),
    ...witnessOf(node.get('witness')),
    ...isolatedOf(node.get('isolated')),
  };
}

function unknownOf(list: JsonNode | undefined): Pick<GroundingReport, 'unknown'> {
  if (list === undefined) return {};
  const unknown = list.items().map((one) => ({
    name: one.get('name')?.string() ?? '',
    count: one.get('count')?.integer() ?? 0,
    spanId: one.get('span_id')?.string() ?? '',
  }));
  return { unknown };
}

function doubtsOf(list: JsonNode | undefined): Pick<GroundingReport, 'doubts'> {
  if (list === undefined) return {};
  const doubts = list.items().flatMap((one): Doubt[] => {
    const kind = DOUBT_KINDS.find((known) => known === one.get('kind')?.string());
    if (kind === undefined) return [];
    const { pointer, spanId, place } = detailsOf(one);
    return [
      {
        kind,
        message: one.get('message')?.string() ?? '',
        ...(pointer === undefined ? {} : { pointer }),
        ...(spanId === undefined ? {} : { spanId }),
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
  return { doubts };
}

function witnessOf(node: JsonNode | undefined): Pick<GroundingReport, 'witness'> {
  if (node === undefined) return {};
  return {
    witness: {
      required: node.get('required')?.boolean() ?? false,
      citations: countsOf(node.get('citations')),
      retrievals: countsOf(node.get('retrievals')),
      chats: countsOf(node.get('chats')),
      cited: (node.get('cited')?.items() ?? []).map((one) => ({
        sourceId: one.get('source_id')?.string() ?? '',
        contentHash: one.get('content_hash')?.string() ?? '',
        witnessed: one.get('witnessed')?.boolean() ?? false,
        evidence: one.get('evidence')?.boolean() ?? false,
      })),
    },
  };
}

function isolatedOf(node: JsonNode | undefined): Pick<GroundingReport, 'isolated'> {
  const isolated = node?.boolean();
  return isolated === undefined ? {} : { isolated };
}

function countsOf(node: JsonNode | undefined): SeenCounts {
  return { witnessed: node?.get('witnessed')?.integer() ?? 0, declared: node?.get('declared')?.integer() ?? 0 };
}

function sourcesOf(node: JsonNode): SourcesReport {
  const rules = textsOf(node.get('rules'));
  return {
    passed: node.get('passed')?.boolean() ?? false,
    verified: node.get('verified')?.integer() ?? 0,
    unresolved: textsOf(node.get('unresolved')).map(unresolvedOf),
    rules: SOURCE_RULES.filter((rule) => rules.includes(rule)),
    violations: violationsOf(node, SOURCE_RULES),
  };
}

/** Takes `<source_id> (<snapshot_ref>)` apart again; an id may hold brackets, a reference seldom does. */
function unresolvedOf(text: string): UnresolvedItem {
  const at = text.lastIndexOf(' (');
  if (at === -1) return { sourceId: text, snapshotRef: null };
  const ref = text.slice(at + 2, -1);
  return { sourceId: text.slice(0, at), snapshotRef: ref === 'live' ? null : ref };
}

function violationsOf<Rule extends RuleId>(report: JsonNode, rules: readonly Rule[]): readonly Violation<Rule>[] {
  return (report.get('violations')?.items() ?? []).flatMap((node) => {
    const rule = rules.find((one) => one === node.get('rule')?.string());
    return rule === undefined ? [] : [{ rule, message: node.get('message')?.string() ?? '', ...detailsOf(node) }];
  });
}

function detailsOf(node: JsonNode): Omit<Violation, 'rule' | 'message'> {
  const text = <Name extends string>(name: Name, key: string): { readonly [Key in Name]?: string } => {
    const value = node.get(key)?.string();
    return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: string });
  };
  const place = node.get('place');
  const [file, line, column] = [
    place?.get('file')?.string(),
    place?.get('line')?.integer(),
    place?.get('column')?.integer(),
  ];
  return {
    ...text('sourceId', 'source_id'),
    ...text('contentHash', 'content_hash'),
    ...text('pointer', 'pointer'),
    ...text('spanId', 'span_id'),
    ...(file !== undefined && line !== undefined && column !== undefined ? { place: { file, line, column } } : {}),
  };
}

function tamperingOf(node: JsonNode): Tampering[] {
  const test = TAMPER_TESTS.find((one) => one === node.get('test')?.string());
  return test === undefined ? [] : [{ test, message: node.get('message')?.string() ?? '' }];
}

function textsOf(list: JsonNode | undefined): string[] {
  return (list?.items() ?? []).flatMap((node) => node.string() ?? []);
}
