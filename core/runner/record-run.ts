import type { InvokedRun } from '../conductor/ports.js';
import type { Fixture } from '../fixtures/index.js';
import { writeRecording } from '../io/recording-files.js';
import { hashOf } from '../json/index.js';
import { composeRecording, type Recorder, recordingName } from '../recordings/index.js';

/** A folder of recordings; `path` is relative to `folder`. */
export interface RecordingFolder {
  readonly path: string;
  readonly folder: string;
}

/** Writes what was heard of a fixture's run; throws GateError `output-unwritable` or `recording-unwritable`. */
export function recordRun(
  { recorder, target }: { readonly recorder: Recorder; readonly target: RecordingFolder },
  { fixture, index, run }: { readonly fixture: Fixture; readonly index: number; readonly run: InvokedRun },
): void {
  const name = recordingName({ fixture: fixture.file, repeat: index });
  const bytes = composeRecording(
    {
      fixture: fixture.file,
      repeat: index,
      offline: fixture.expectation.offline,
      fixtureHash: hashOf(fixture.request, 'dd-json-document-v1'),
      ...recorder.take(run.invocationId),
    },
    { file: `${target.path}/${name}` },
  );
  writeRecording(target, { name, bytes });
}
