import { composeJson, sha256Hex } from '../json/index.js';
import type { RecordingKey } from './recording.js';

/** The file of a recording: hash digits alone, so that no name of a fixture becomes part of a path. */
export function recordingName({ fixture, repeat }: RecordingKey): string {
  return `${sha256Hex(composeJson([fixture.toWellFormed(), repeat], { indent: 0 }))}.json`;
}
