const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The longest event that is looked into; a longer one passes unread. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** Takes the `data` of server-sent events (text/event-stream) out of a stream, wherever its pieces are cut. */
export class EventReader {
  readonly #onData: (data: Buffer) => void;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #data: Buffer[] = [];
  #dataBytes = 0;
  #odd = false;

  constructor(onData: (data: Buffer) => void) {
    this.#onData = onData;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** What the stream's end leaves: an event that no blank line closed counts all the same. */
  end(): void {
    this.#endLine();
    this.#endEvent();
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#lineBytes + this.#dataBytes + bytes.length > MAX_EVENT_BYTES) {
      this.#odd = true;
      this.#line = [];
      this.#data = [];
      [this.#lineBytes, this.#dataBytes] = [0, 0];
      return;
    }
    // The stream reuses nothing, so that a view of a chunk stays what it is.
    this.#line.push(bytes);
    this.#lineBytes += bytes.length;
  }

  #endLine(): void {
    const [only] = this.#line;
    let line = this.#line.length === 1 && only !== undefined ? only : Buffer.concat(this.#line);
    this.#line = [];
    this.#lineBytes = 0;
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    if (line.length === 0) return this.#endEvent();
    if (!line.subarray(0, 5).equals(DATA)) return;
    const data = line.subarray(line[5] === 0x20 ? 6 : 5);
    this.#data.push(data);
    this.#dataBytes += data.length;
  }

  #endEvent(): void {
    const data = this.#data;
    const odd = this.#odd;
    [this.#data, this.#dataBytes, this.#odd] = [[], 0, false];
    if (data.length === 0 || odd) return;
    const [only] = data;
    this.#onData(
      data.length === 1 && only !== undefined ? only : Buffer.concat(data.flatMap((part) => [part, NEW_LINE])),
    );
  }
}

const DATA = Buffer.from('data:');
const NEW_LINE = Buffer.from('\n');
