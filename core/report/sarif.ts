import manifest from '../../package.json' with { type: 'json' };
import { basisOf, basisText, type CitationBasis } from './basis.js';
import type { Finding, FindingLevel } from './finding.js';
import { type FindingPage, findingPages } from './finding-pages.js';
import type { GateReport } from './gate-report.js';
import { jsonText } from './json-text.js';
import { cut, visible } from './visible.js';

/** Code scanning keeps the first 5,000 results of a run and refuses more than 25,000. */
const MAX_RESULTS = 5_000;

/** Code scanning shows a few lines of a message. */
const MAX_MESSAGE = 2_000;

/**
 * The findings as a SARIF 2.1.0 log, worst first; what a fixture expects is no result. A result has one location, whose path is
 * taken to be relative to the repository's root, and a fingerprint that stays from run to run.
 */
export function renderSarif(report: GateReport): string {
  const findings = report.findings.filter(({ level }) => level !== 'note');
  const shown = findings.slice(0, MAX_RESULTS);
  const rules = findingPages();
  const indexes = new Map(rules.map(({ id }, at) => [id, at]));
  const ordinals = ordinalsOf(shown);
  const bases = basesOf(report);
  const replayed = new Set(report.subjects.flatMap((subject) => (subject.replayed ? [subject.run] : [])));
  return jsonText({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: manifest.name, semanticVersion: manifest.version, rules: rules.map(ruleJson) } },
        columnKind: 'utf16CodeUnits',
        automationDetails: { id: `${manifest.name}/${report.command}/` },
        invocations: [invocationJson(report, { shown: shown.length, of: findings.length })],
        ...propertiesJson(report, replayed.size),
        results: shown.map((finding, at) => ({
          ...resultJson(finding, { ordinal: ordinals[at] ?? 1, bases, replayed: replayed.has(finding.run) }),
          ruleIndex: indexes.get(finding.rule) ?? -1,
        })),
      },
    ],
  });
}

const LEVELS = { error: 'error', warning: 'warning', note: 'note' } as const satisfies Record<FindingLevel, string>;

function ruleJson({ id, title, why, mend }: FindingPage) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: `${why} How to mend it: ${mend}`, markdown: `${why}\n\n**How to mend it.** ${mend}` },
    defaultConfiguration: {
      level: id === 'unresolved' || id === 'claim-differs' || id === 'doubtful' || id === 'drift' ? 'warning' : 'error',
    },
    properties: { tags: ['grounding'] },
  };
}

function invocationJson(report: GateReport, { shown, of }: { readonly shown: number; readonly of: number }) {
  const notices = [
    ...report.notices.map(messageText),
    ...(shown < of ? [`${shown} of ${of} findings are listed, worst first.`] : []),
  ];
  return {
    executionSuccessful: report.conclusion !== 'refused',
    ...(notices.length === 0
      ? {}
      : { toolExecutionNotifications: notices.map((text) => ({ level: 'note', message: { text } })) }),
  };
}

/** Of the whole: how many runs were replayed, and in words what each run with witnesses rests on. */
function propertiesJson({ subjects }: GateReport, replayed: number) {
  const told = subjects.flatMap((subject) => {
    const text = basisText(subject);
    return text === null ? [] : [{ run: visible(subject.run ?? ''), basis: text }];
  });
  const properties = {
    ...(told.length === 0 ? {} : { basis: told.slice(0, MAX_RESULTS) }),
    ...(replayed === 0 ? {} : { replayed }),
  };
  return Object.keys(properties).length === 0 ? {} : { properties };
}

/** By run, id and hash: what a citation rests on. */
function basesOf({ subjects }: GateReport): ReadonlyMap<string, CitationBasis> {
  const bases = new Map<string, CitationBasis>();
  for (const subject of subjects) {
    if (subject.grounding?.witness === undefined) continue;
    for (const { sourceId, contentHash, basis } of basisOf(subject)?.cited ?? [])
      bases.set(citationKey({ run: subject.run, sourceId, contentHash }), basis);
  }
  return bases;
}

function citationKey({ run, sourceId, contentHash }: Pick<Finding, 'run' | 'sourceId' | 'contentHash'>): string {
  return `${run ?? ''}\n${contentHash ?? ''}\n${sourceId ?? ''}`;
}

function resultJson(
  finding: Finding,
  {
    ordinal,
    bases,
    replayed,
  }: {
    readonly ordinal: number;
    readonly bases: ReadonlyMap<string, CitationBasis>;
    readonly replayed: boolean;
  },
) {
  const basis = bases.get(citationKey(finding));
  const { rule, level, message, place, run, fixture, sourceId, pointer } = finding;
  const region = { startLine: place.line ?? 1, ...(place.column === null ? {} : { startColumn: place.column }) };
  return {
    ruleId: rule,
    level: LEVELS[level],
    message: { text: messageText(message) },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(place.file) }, region } }],
    partialFingerprints: { 'groundingGate/v1': `${finding.fingerprint}:${ordinal}` },
    properties: {
      ...(run === null ? {} : { invocation: visible(run) }),
      ...(fixture === null ? {} : { fixture: visible(fixture) }),
      ...(sourceId === null ? {} : { sourceId: visible(sourceId) }),
      ...(pointer === null ? {} : { pointer: visible(pointer) }),
      ...(basis === undefined ? {} : { basis }),
      ...(replayed ? { replayed } : {}),
    },
  };
}

/**
 * Untrusted text as a SARIF message: `[x](1)` would be a link and `{0}` a placeholder, so that brackets take a backslash and
 * braces are doubled (SARIF 2.1.0, 3.11.5 and 3.11.6).
 */
function messageText(text: string): string {
  const plain = cut(visible(text), MAX_MESSAGE);
  return plain.replaceAll(/[\\[\]]/g, '\\$&').replaceAll(/[{}]/g, '$&$&') || '(empty)';
}

/** A path as a relative reference: every segment is encoded, so that none of it can be a scheme, a query or a fragment. */
function uriOf(file: string): string {
  return file.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** The how-manieth finding of its fingerprint each one is: equal ones must stay apart. */
function ordinalsOf(findings: readonly Finding[]): readonly number[] {
  const counts = new Map<string, number>();
  return findings.map(({ fingerprint }) => {
    const count = (counts.get(fingerprint) ?? 0) + 1;
    counts.set(fingerprint, count);
    return count;
  });
}
