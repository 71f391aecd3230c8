import { canonicalisationNames, type JsonNode } from '../json/index.js';
import { type Fault, located } from './faults.js';

/** The rules across members of contract 3, by name. */
export type CrossMemberRule =
  | 'problem-iff-failed-or-suspended'
  | 'reason-code-when-abstained-or-referred'
  | 'referred-to-when-referred'
  | 'payload-iff-succeeded'
  | 'payload-schema-iff-payload'
  | 'canonicalisation-registered'
  | 'input-cited'
  | 'only-input-cited';

type Check = (envelope: JsonNode) => readonly Found[];
interface Found {
  readonly pointer: string;
  readonly message: string;
}

const INPUT_CANONICALISATION = 'dd-input-json-v1';
const MODES_CITING_INPUT: readonly unknown[] = ['input_only', 'none', 'delegation'];
const MODES_CITING_ONLY_INPUT: readonly unknown[] = ['input_only', 'none'];

const CHECKS: Readonly<Record<CrossMemberRule, Check>> = {
  'problem-iff-failed-or-suspended': (envelope) =>
    iff(envelope, { member: 'problem', when: ['failed', 'suspended'].includes(statusOf(envelope)) }),
  'reason-code-when-abstained-or-referred': (envelope) =>
    outcomeNeeds(envelope, { member: 'reason_code', statuses: ['abstained', 'referred'] }),
  'referred-to-when-referred': (envelope) => outcomeNeeds(envelope, { member: 'referred_to', statuses: ['referred'] }),
  'payload-iff-succeeded': (envelope) => iff(envelope, { member: 'payload', when: statusOf(envelope) === 'succeeded' }),
  'payload-schema-iff-payload': payloadSchemaIffPayload,
  'canonicalisation-registered': canonicalisationRegistered,
  'input-cited': inputCited,
  'only-input-cited': onlyInputCited,
};

/**
 * Every broken rule across the members of an envelope (contract 3), on top of its schema. Total over any document:
 * what has the wrong shape is the schema's to report and breaks nothing here.
 */
export function crossMemberFaults(envelope: JsonNode): readonly Fault[] {
  const faults = Object.entries(CHECKS).flatMap(([rule, check]) =>
    check(envelope).map((found): Fault => ({ rule, ...found })),
  );
  return located(envelope, faults);
}

function iff(envelope: JsonNode, { member, when }: { readonly member: string; readonly when: boolean }): Found[] {
  const there = envelope.has(member);
  if (there === when) return [];
  const status = JSON.stringify(statusOf(envelope));
  return when
    ? [{ pointer: '', message: `lacks ${member}, which the status ${status} requires` }]
    : [{ pointer: `/${member}`, message: `may not stand beside the status ${status}` }];
}

function outcomeNeeds(
  envelope: JsonNode,
  { member, statuses }: { readonly member: string; readonly statuses: readonly string[] },
): Found[] {
  const status = statusOf(envelope);
  if (!statuses.includes(status) || envelope.get('outcome')?.has(member) === true) return [];
  return [{ pointer: '/outcome', message: `lacks ${member}, which the status ${JSON.stringify(status)} requires` }];
}

function payloadSchemaIffPayload(envelope: JsonNode): Found[] {
  const payload = envelope.has('payload');
  if (payload === envelope.has('payload_schema')) return [];
  return payload
    ? [{ pointer: '', message: 'lacks payload_schema, which a payload requires' }]
    : [{ pointer: '/payload_schema', message: 'may not stand without a payload' }];
}

function canonicalisationRegistered(envelope: JsonNode): Found[] {
  const known = canonicalisationNames();
  return evidenceOf(envelope).flatMap((item, index) => {
    const name = item.get('canonicalisation')?.string();
    if (name === undefined || known.includes(name)) return [];
    const pointer = `/evidence/${index}/canonicalisation`;
    return [{ pointer, message: `${JSON.stringify(name)} is not registered; known are ${known.join(', ')}` }];
  });
}

function inputCited(envelope: JsonNode): Found[] {
  if (statusOf(envelope) !== 'succeeded' || !MODES_CITING_INPUT.includes(modeOf(envelope))) return [];
  if (evidenceOf(envelope).some((item) => isInput(item, inputIdOf(envelope)))) return [];
  const wanted = `${inputIdOf(envelope)} under ${INPUT_CANONICALISATION}`;
  return [{ pointer: envelope.has('evidence') ? '/evidence' : '', message: `does not cite the input, ${wanted}` }];
}

function onlyInputCited(envelope: JsonNode): Found[] {
  if (!MODES_CITING_ONLY_INPUT.includes(modeOf(envelope))) return [];
  const inputId = inputIdOf(envelope);
  const references = envelope.get('payload')?.get('grounded_on')?.items() ?? [];
  const message = `cites something other than the input, ${inputId} under ${INPUT_CANONICALISATION}`;
  const evidence = evidenceOf(envelope).flatMap((item, index) =>
    isInput(item, inputId) ? [] : [`/evidence/${index}`],
  );
  const grounds = references.flatMap((reference, index) =>
    reference.get('source_id')?.string() === inputId ? [] : [`/payload/grounded_on/${index}`],
  );
  return [...evidence, ...grounds].map((pointer) => ({ pointer, message }));
}

function isInput(item: JsonNode, inputId: string): boolean {
  return (
    item.get('source_id')?.string() === inputId && item.get('canonicalisation')?.string() === INPUT_CANONICALISATION
  );
}

function inputIdOf(envelope: JsonNode): string {
  return `input:${envelope.get('invocation_id')?.string() ?? ''}`;
}

function statusOf(envelope: JsonNode): string {
  return envelope.get('outcome')?.get('status')?.string() ?? '';
}

function modeOf(envelope: JsonNode): string | undefined {
  return envelope.get('grounding_mode')?.string();
}

function evidenceOf(envelope: JsonNode): readonly JsonNode[] {
  return envelope.get('evidence')?.items() ?? [];
}
