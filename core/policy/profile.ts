import { Faults, MappingReader, parseYaml, type YamlNode } from '../config/index.js';
import { sha256Hex } from '../json/index.js';
import { didYouMean } from '../model/nearest.js';
import { PROFILE_REFERENCE } from '../model/patterns.js';
import { REQUIREMENTS, type Requirement } from '../model/requirement.js';
import type { Place } from '../model/violation.js';

/** The institution's policy: which agents may run, as which action class, and which classes a person must approve (contract 7). */
export interface Profile {
  /** The file that it was read from, as the caller names it. */
  readonly file: string;
  readonly profileId: string;
  readonly version: number;
  readonly description: string | null;
  /** Agent id to the action class that the profile assigns it. */
  readonly agents: ReadonlyMap<string, string>;
  /** Where each of them stands in the file. */
  readonly places: ReadonlyMap<string, Place>;
  readonly actionsRequiringApproval: ReadonlySet<string>;
  /** Where each of these stands in the file. */
  readonly approvalPlaces: ReadonlyMap<string, Place>;
  /** What runs must be: of every agent, or of single ones by their ids. */
  readonly require: { readonly every: Requirement | null; readonly of: ReadonlyMap<string, Requirement> };
  /** `profile:<profile_id>@v<version>`, recorded on every envelope. */
  readonly policyBundleRef: string;
  /** SHA-256 of the file's bytes, recorded on every envelope. */
  readonly policyDigest: string;
}

// An unenforced key would let its author believe in a rule that nothing applies.
const PROFILE_KEYS = [
  'profile_id',
  'version',
  'description',
  'agents',
  'actions_requiring_approval',
  'require',
] as const;

/** Reads a profile from its bytes; throws a configuration error that names every fault with its place. */
export function parseProfile(bytes: Uint8Array, options: { readonly file: string }): Profile {
  const { root } = parseYaml(bytes, options);
  const faults = new Faults();
  const reader = new MappingReader(root, { what: 'a profile', keys: PROFILE_KEYS, faults });
  const profileId = reader.string('profile_id');
  const version = reader.integer('version');
  const agents = readAgents(reader.required('agents'), { reader, faults });
  const profile = {
    file: options.file,
    profileId,
    version,
    description: reader.optionalString('description'),
    agents,
    places: placesOf(reader.optional('agents')),
    ...readApprovals(reader),
    require: readRequirements(agents, { reader, faults }),
    policyBundleRef: `profile:${profileId}@v${version}`,
    policyDigest: sha256Hex(bytes),
  };
  faults.settle();
  refuseOddReference(profile.policyBundleRef, { reader, faults });
  return profile;
}

function readAgents(
  node: YamlNode | null,
  { reader, faults }: { readonly reader: MappingReader; readonly faults: Faults },
): ReadonlyMap<string, string> {
  const agents = new Map<string, string>();
  if (node === null) return agents;
  if (node.kind !== 'mapping') {
    const message = 'agents is not a mapping of agent ids to action classes';
    faults.add({
      code: 'config-type',
      message,
      remedy: 'write one "agent.id: action_class" a line',
      place: node.place,
    });
    return agents;
  }
  for (const [agentId, entry] of node.entries) {
    agents.set(agentId, reader.stringOf(entry.value, `the action class of ${JSON.stringify(agentId)}`) ?? '');
  }
  return agents;
}

function placesOf(node: YamlNode | null): ReadonlyMap<string, Place> {
  if (node?.kind !== 'mapping') return new Map();
  return new Map([...node.entries].map(([agentId, { key }]) => [agentId, key.place]));
}

function readApprovals(reader: MappingReader): Pick<Profile, 'actionsRequiringApproval' | 'approvalPlaces'> {
  const name = 'actions_requiring_approval';
  const node = reader.optional(name);
  const list = node === null ? null : reader.sequenceOf(node, name);
  const places = (list?.items ?? []).flatMap((item) =>
    item.kind === 'string' ? [[item.value, item.place] as const] : [],
  );
  return { actionsRequiringApproval: new Set(reader.strings(list, name)), approvalPlaces: new Map(places) };
}

/** `require: witnessed` for every agent, or a mapping of agent ids to it. */
function readRequirements(
  agents: ReadonlyMap<string, string>,
  { reader, faults }: { readonly reader: MappingReader; readonly faults: Faults },
): Profile['require'] {
  const node = reader.optional('require');
  const of = new Map<string, Requirement>();
  if (node === null) return { every: null, of };
  if (node.kind !== 'mapping') return { every: requirement(node, { name: 'require', reader, faults }), of };
  for (const [agentId, entry] of node.entries) {
    const name = `require of ${JSON.stringify(agentId)}`;
    // It would bind nobody, and its author believes that it does.
    if (!agents.has(agentId)) {
      faults.add({
        code: 'config-value',
        message: `${name} is for no agent of the profile${didYouMean(agentId, agents.keys())}`,
        remedy: 'name an agent that stands under agents',
        place: entry.key.place,
      });
    }
    const required = requirement(entry.value, { name, reader, faults });
    if (required !== null) of.set(agentId, required);
  }
  return { every: null, of };
}

function requirement(
  node: YamlNode,
  { name, reader, faults }: { readonly name: string; readonly reader: MappingReader; readonly faults: Faults },
): Requirement | null {
  const text = reader.stringOf(node, name);
  const found = REQUIREMENTS.find((one) => one === text) ?? null;
  if (found === null && text !== null) {
    const message = `${name} is ${JSON.stringify(text)}${didYouMean(text, REQUIREMENTS)}`;
    faults.add({ code: 'config-value', message, remedy: `use ${REQUIREMENTS.join(', ')}`, place: node.place });
  }
  return found;
}

/** What the profile requires of an agent's runs. */
export function requirementOf({ require }: Profile, agentId: string): Requirement | null {
  return require.of.get(agentId) ?? require.every;
}

function refuseOddReference(reference: string, at: { readonly reader: MappingReader; readonly faults: Faults }): void {
  if (PROFILE_REFERENCE.test(reference)) return;
  const place = at.reader.required('profile_id')?.place;
  if (place === undefined) throw new Error('a profile without a profile_id passed its reader');
  at.faults.add({
    code: 'profile-reference',
    message: `the profile's reference would be ${JSON.stringify(reference)}`,
    remedy: 'use lower-case letters, digits, dots and hyphens in profile_id, and a version that is not negative',
    place,
  });
  at.faults.settle();
}
