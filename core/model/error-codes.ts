/**
 * Every error code with what it means and how to mend it. `docs/errors.md` is generated from this table,
 * and a code that is missing here does not compile: throw with `gateError`.
 */
import { GateError, type GateErrorInit } from './errors.js';

export const ERROR_CODES = {
  'json-empty': { means: 'The document is empty or holds only white space.' },
  'json-syntax': { means: 'The text is not JSON (RFC 8259).' },
  'json-encoding': { means: 'The bytes are not UTF-8, or begin with a byte order mark.' },
  'json-nonfinite': { means: 'NaN, Infinity, or a number beyond the range of a double.' },
  'json-long-integer': { means: 'An integer of more than 4,300 digits.' },
  'json-lone-surrogate': { means: 'A \\u escape names one half of a surrogate pair.' },
  'json-trailing': { means: 'Something follows the end of the document.' },
  'json-depth': { means: 'Arrays and objects are nested more than 1,000 levels deep.' },
  'json-duplicate-key': { means: 'An object holds the same key twice, so that two readers could see two documents.' },
  'json-too-large': { means: 'The document is larger than this reader takes in one piece.' },
  'canonicalisation-taken': { means: 'The name of a canonicalisation is registered already.' },
  'canonicalisation-unknown': { means: 'The canonicalisation is not registered.' },
  'projection-refused': { means: 'The document cannot be projected under this canonicalisation.' },
  'yaml-encoding': { means: 'A configuration file is not UTF-8, or begins with a byte order mark.' },
  'yaml-too-large': { means: 'A configuration file is larger than 4 MiB.' },
  'yaml-empty': { means: 'A configuration file is empty or holds only comments.' },
  'yaml-syntax': { means: 'The text is not one YAML 1.2 document, or is nested more than 64 levels deep.' },
  'yaml-tag': { means: 'A YAML tag is not one of the core schema, or does not fit its value.' },
  'yaml-duplicate-key': { means: 'A YAML mapping holds the same key twice.' },
  'yaml-key': { means: 'A key of a YAML mapping is not a string.' },
  'yaml-alias': { means: 'A YAML alias names nothing, names a node around it, or expands the file past 10,000 nodes.' },
  'config-missing': {
    means: 'A configuration file, or a file that it names, does not exist, or a link leads to nothing.',
  },
  'config-not-a-file': {
    means:
      'A path of the call or the configuration is a folder, a device or a pipe, where a regular file was expected.',
  },
  'config-unreadable': { means: 'A file of the call or the configuration exists and cannot be read.' },
  'config-outside': { means: 'A path of the configuration, or a link on it, leaves the repository.' },
  'config-unknown-key': { means: 'A configuration file has a key that nothing reads.' },
  'config-missing-key': { means: 'A configuration file lacks a key that is required.' },
  'config-type': { means: 'A value of a configuration file is of the wrong type.' },
  'config-value': { means: 'A value of a configuration file is not among those allowed.' },
  'config-too-large': { means: 'A configuration file, or a fixture, is larger than what is read.' },
  'fixture-shape': {
    means: 'A fixture is not an object with agent_id and input, or has a member that no request has.',
  },
  'fixture-repeat': { means: 'A fixture that names its invocation_id is expected to run more than once.' },
  'fixture-orphan': { means: 'An expectation file stands beside no fixture, or has a name that nothing reads.' },
  'config-unwritable': { means: 'A configuration file cannot be written.' },
  'source-pin-edit': { means: 'sources.yaml cannot be edited in place, since aliases share what would change.' },
  'source-duplicate-ref': { means: 'sources.yaml lists a snapshot_ref twice.' },
  'source-pin-mismatch': { means: 'A source copy is not the file that was pinned.' },
  'source-lfs-pointer': { means: 'A source copy is a Git LFS pointer: the file itself was not fetched.' },
  'source-record-shape': { means: 'A source copy holds something that is not an object.' },
  'source-record-id': { means: 'A record of a source copy has no string under its id_field.' },
  'source-record-too-large': { means: 'A record of a source copy is larger than 64 MiB.' },
  'source-duplicate-id': { means: 'A source copy holds two records with one id.' },
  'source-record-changed': { means: 'A source copy was changed after its pin was checked.' },
  'door-refused': { means: 'A door of the conductor refused what an agent asked of it; the message says why.' },
  'agent-sources': {
    means:
      'An entry of agents.yaml lists, under sources, a snapshot of which no copy is pinned, or its agent retrieves nothing.',
  },
  'profile-reference': {
    means: 'The reference that a profile would have, profile:<profile_id>@v<version>, is not well formed.',
  },
  'offline-unavailable': {
    means: 'A fixture is to run offline, and nothing here starts an agent without a network; the message says why.',
  },
  'spans-empty': { means: 'A span file is empty or holds only blank lines.' },
  'span-malformed': { means: 'A span of a span file is not an object with a string name and ids.' },
  'span-time': {
    means: 'A time of a span is there and is neither RFC 3339 with an offset nor, in OTLP/JSON, whole nanoseconds.',
  },
  'span-attribute-twice': { means: 'An attribute list of OTLP/JSON holds the same key twice.' },
  'spans-shape': { means: 'A span file holds an object of a shape that is not read; the message names the shape.' },
  'spans-mixed': { means: 'A span file, or one object of it, mixes two shapes of spans.' },
  'envelope-malformed': { means: 'An envelope is not a JSON object.' },
  usage: { means: 'The arguments make no call of the command line.' },
  'principal-missing': { means: 'Nobody is named for whom a run is made.' },
  'principal-malformed': { means: 'The person or role for whom a run is made is not described as contract 3 says.' },
  'input-missing': { means: 'A file that the call names does not exist.' },
  'output-unwritable': { means: 'The file that the result should go to cannot be written.' },
  interrupted: { means: 'The user ended the command before this run was stored.' },
  'agents-none': { means: 'No agent is registered or can be reached, so that nothing could be run.' },
  'fixtures-none': { means: 'No fixture was found, so that nothing could be judged.' },
  'agent-specification': { means: 'What an agent declares about itself is incomplete or breaks the contract.' },
  'agent-module': { means: 'A module named in agents.yaml cannot be loaded, or its default export is not an agent.' },
  'agent-environment': {
    means: 'agents.yaml lets an agent have a variable that is unset, or one that no agent may see.',
  },
  'agent-duplicate': { means: 'Two entries of agents.yaml lead to agents with one id.' },
  'agent-timeout': { means: 'An agent gave no answer within its timeout_s and was killed.' },
  'agent-exited': { means: 'The process of an agent ended before its answer was complete.' },
  'agent-threw': { means: 'An agent threw an exception instead of returning a result.' },
  'agent-reply': { means: 'What an agent answered is not a result: not strict JSON, or not of the expected shape.' },
  'agent-reply-too-large': { means: 'An agent answered with more than 16 MB.' },
  'agent-changed': { means: 'An agent declares something else than when it was registered.' },
  'agent-unreachable': { means: 'An agent that is a service cannot be reached, or the connection to it broke.' },
  'agent-address': { means: 'The url of an agent that is a service is not a plain http or https address.' },
  'agent-card': {
    means: 'The card of an agent that is a service is missing, unreadable or not of the expected shape.',
  },
  'agent-redirect': { means: 'An agent that is a service answered with a redirect, and none is followed.' },
  'agent-service': { means: 'The service that an entry of agents.yaml starts did not come up.' },
  'address-unavailable': { means: 'The address that a server should listen on cannot be had.' },
  'agent-misuse': { means: 'An agent used the agent library in a way that could not be grounded.' },
  'request-malformed': { means: 'A request is not an InvocationRequest, or names a principal or a policy.' },
  'request-reserved': { means: 'A caller set a member of the request that only the conductor may set.' },
  'agent-unknown': { means: 'No registered and reachable agent has the id that a request names.' },
  'grant-unknown': { means: 'A delegation token is of no run in progress: it expired, or was never issued.' },
  'grant-second-hand': {
    means: 'A delegation token was used outside the run that it was given to, or handed on in a request.',
  },
  'delegation-to-self': { means: 'An agent asked for a run of itself.' },
  'call-refused': { means: 'A request came without a delegation token to an endpoint that takes no other.' },
  'project-unknown': {
    means: 'No project has this id, or the id is none: small letters, digits, dots, dashes and underscores.',
  },
  'project-conversation': { means: 'A project was named without the conversation that belongs to it.' },
  'conversation-of-another': {
    means: 'A conversation belongs to another project than the one named, or started without one.',
  },
  'project-malformed': { means: 'A file of a project is not what this program writes.' },
  'version-unknown': { means: 'A project has no such version of a document, or it is accepted already.' },
  'invocation-id-malformed': { means: 'An invocation id is not a lower-case UUIDv7.' },
  'invocation-stored': { means: 'A run of this invocation id is stored already; a stored run is never overwritten.' },
  'invocation-running': { means: 'A run of this invocation id is in progress, here or in another process.' },
  'store-obstructed': {
    means: 'Something in the runs folder stands where the store keeps its own, such as a link or a file.',
  },
  'store-access': { means: 'The system gives this user no access to the runs folder, or no right to write in it.' },
  'store-missing': { means: 'The runs folder, or something in it, does not exist.' },
  'store-full': { means: 'The disk or quota of the runs folder is full; the run was taken back whole.' },
  'store-locked': { means: 'Another process has held the lock of the runs folder for too long.' },
  'store-failed': { means: 'The system refused a read or write in the runs folder.' },
  'run-file-refused': {
    means: 'A file of a stored run is a link, a folder, a device, or larger than this reader takes.',
  },
  'runs-none': { means: 'A runs folder holds no run, or none that is wanted, so that nothing could be judged again.' },
  'input-value': { means: 'An input of the Action has a value that it cannot have.' },
  'runner-context': {
    means: 'The runner of GitHub Actions does not say something that the Action needs, or says it oddly.',
  },
  'event-unknown': { means: 'The workflow was set off by an event that the Action does not judge.' },
  'event-malformed': { means: "The payload of the workflow's event lacks something that the Action needs." },
  'event-target': {
    means: 'The Action was run on pull_request_target, whose token may write, with code of a pull request.',
  },
  'base-unreachable': { means: "Neither git nor GitHub's API gives the base commit, whose configuration binds." },
  'base-link': { means: 'A file of the base commit that binds a pull request is a link or a submodule.' },
  'checkout-differs': { means: 'What is checked out is not the commit that the workflow runs for.' },
  'artifact-refused': { means: 'A stored artifact is not what the Action stores, or is larger than what is read.' },
  'previous-malformed': {
    means:
      'A line of an earlier report is no verdict on a stored run, contradicts itself, or stands there out of order.',
  },
  'shard-refused': {
    means: 'A shard is missing, doubled, altered, of another archive than the others, or judged otherwise.',
  },
  'report-folder-refused': {
    means: 'The folder that a report should go to is no folder, or holds something else than an earlier report.',
  },
  'seal-malformed': { means: 'A file is no seal of an archive, or does not agree with itself.' },
  'bot-settings': { means: 'The environment of the bot lacks a setting, or has one that cannot be.' },
  'bot-redis': {
    means: 'The Redis server that REDIS_URL names cannot be reached, or is not one that the bot can rely on.',
  },
  'recording-missing': {
    means: 'A fixture is to be replayed and has no recording, or the folder of recordings is none.',
  },
  'recording-refused': {
    means: 'A recording was altered or cut short since it was written, or is of a form that is not read.',
  },
  'recording-stale': {
    means:
      "A recording does not fit any more: the fixture's input, the agent's version or a class schema is another one; the message says which.",
  },
  'recording-unwritable': { means: 'A recording cannot be written, or holds what could not be read back.' },
  'replay-runs': { means: 'The runs folder of a replay is not empty: recorded invocation ids would meet stored ones.' },
  'tar-refused': { means: 'A tar stream is broken, or holds what no archive of runs holds.' },
} as const satisfies Record<string, { readonly means: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Makes a `GateError` whose code stands in the table. */
export function gateError(code: ErrorCode, init: GateErrorInit): GateError<ErrorCode> {
  return new GateError(code, init);
}
