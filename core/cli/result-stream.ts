import { openAtomicFile } from '../io/atomic-file.js';
import type { Call } from './command.js';

/** Text is gathered to this many characters before it goes to standard output. */
const PIECE = 1 << 16;

/** A result that is handed over while it is made: to `--output`, where it appears whole, else to standard output. */
export interface ResultStream {
  write(text: string): Promise<void>;
  /** Hands over the rest. */
  end(): Promise<void>;
  /** Leaves `--output` as it was; does nothing after `end`. */
  discard(): void;
}

/** Opens the result of a call; throws GateError `output-unwritable`. */
export function resultStream(call: Call): ResultStream {
  const path = call.options.text('output');
  return path === undefined ? toStandardOutput(call) : toFile({ path, folder: call.world.cwd });
}

function toFile(target: { readonly path: string; readonly folder: string }): ResultStream {
  const file = openAtomicFile(target);
  return {
    write: async (text) => file.write(text),
    end: async () => file.commit(),
    discard: () => file.discard(),
  };
}

function toStandardOutput({ world }: Call): ResultStream {
  let gathered = '';
  const flush = async (): Promise<void> => {
    const text = gathered;
    gathered = '';
    if (text !== '') await world.out.write(text);
  };
  return {
    async write(text) {
      gathered += text;
      if (gathered.length >= PIECE) await flush();
    },
    end: flush,
    discard: () => undefined,
  };
}
