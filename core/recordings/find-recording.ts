import type { JsonNode } from '../json/index.js';
import { hashOf } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { RecordingFiles } from './ports.js';
import { readRecording } from './read-recording.js';
import type { Recording, RecordingKey } from './recording.js';
import { recordingName } from './recording-name.js';
import { stale } from './replay-agent.js';

/** A run of a fixture as it stands today. */
export interface RunToReplay extends RecordingKey {
  readonly request: JsonNode;
  /** Whether the fixture asks for a run without a network. */
  readonly offline: boolean;
}

/** A recording with the path that messages name. */
export interface FoundRecording {
  readonly recording: Recording;
  readonly file: string;
}

/**
 * The recording of a run. Rejects with GateError `recording-missing`, `recording-refused` (altered, cut short, misplaced) or
 * `recording-stale` (made of another request, or with a network where the fixture asks for none).
 */
export async function findRecording(files: RecordingFiles, run: RunToReplay): Promise<FoundRecording> {
  const name = recordingName(run);
  const file = files.pathOf(name);
  const bytes = await files.read(name);
  if (bytes === null)
    throw gateError('recording-missing', {
      blame: 'configuration',
      message: `there is no recording of ${run.fixture}${run.repeat > 1 ? ` (run ${run.repeat})` : ''}`,
      remedy: 'record it with grounding run --record',
      place: { file },
    });
  const recording = readRecording(bytes, { file });
  if (recording.fixture !== run.fixture || recording.repeat !== run.repeat)
    throw stale(file, `this is a recording of ${recording.fixture} (run ${recording.repeat})`);
  const different = requestDifference(recording, run.request);
  if (different !== null) throw stale(file, different);
  if (run.offline && !recording.offline)
    throw stale(file, 'the fixture asks for a run offline, and it was recorded with a network');
  return { recording, file };
}

/** What is another one in a fixture's request; the input first, since that is what mostly is. */
export function requestDifference({ fixtureHash, run }: Recording, request: JsonNode): string | null {
  if (hashOf(request, 'dd-json-document-v1') === fixtureHash) return null;
  const agentId = request.get('agent_id')?.string() ?? '';
  if (agentId !== run.agent.agentId)
    return `the fixture asks for the agent ${agentId}, recorded was ${run.agent.agentId}`;
  const input = request.get('input');
  const same = input !== undefined && hashOf(input, 'dd-input-json-v1') === run.inputHash;
  return same
    ? "a member of the fixture's request beside the input is another one"
    : "the fixture's input is another one";
}
