import type { RunFile } from './names.js';

/** The files of one run as stored; a file that is absent is undefined. */
export type RunContents = Readonly<Record<RunFile, Uint8Array | undefined>>;

/** The files of a run, read one after the other. */
export async function runContents(read: (file: RunFile) => Promise<Uint8Array | undefined>): Promise<RunContents> {
  return {
    request: await read('request'),
    envelope: await read('envelope'),
    spans: await read('spans'),
    grounding: await read('grounding'),
    sources: await read('sources'),
  };
}
