const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The longest event that is looked into; a longer one passes unread. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** What a reader tells of a stream. */
export interface EventListener {
  /** The `data` of an event. */
  readonly onData: (data: Buffer) => void;
  /** Something passed that is no event, or is too long to be looked into. */
  readonly onUnreadable: () => void;
}

/** Takes the `data` of server-sent events (text/event-stream) out of a stream, wherever its pieces are cut. */
export class EventReader {
  readonly #listener: EventListener;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #data: Buffer[] = [];
  #dataBytes = 0;
  #odd = false;
  /** The last byte was a carriage return, to which a line feed may belong. */
  #returned = false;

  constructor(listener: EventListener) {
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    let from = this.#returned && chunk[0] === LINE_FEED ? 1 : 0;
    this.#returned = false;
    let [feed, back] = [chunk.indexOf(LINE_FEED, from), chunk.indexOf(CARRIAGE_RETURN, from)];
    while (feed >= 0 || back >= 0) {
      const at = feed < 0 || (back >= 0 && back < feed) ? back : feed;
      this.#keep(chunk.subarray(from, at));
      this.#endLine();
      from = at === back && chunk[at + 1] === LINE_FEED ? at + 2 : at + 1;
      this.#returned = at === back && from === chunk.length;
      if (feed >= 0 && feed < from) feed = chunk.indexOf(LINE_FEED, from);
      if (back >= 0 && back < from) back = chunk.indexOf(CARRIAGE_RETURN, from);
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
      this.#listener.onUnreadable();
      return;
    }
    // The stream reuses nothing, so that a view of a chunk stays what it is.
    this.#line.push(bytes);
    this.#lineBytes += bytes.length;
  }

  #endLine(): void {
    const [only] = this.#line;
    const line = this.#line.length === 1 && only !== undefined ? only : Buffer.concat(this.#line);
    this.#line = [];
    this.#lineBytes = 0;
    if (line.length === 0) return this.#endEvent();
    if (!line.subarray(0, 5).equals(DATA)) {
      if (!FIELD.test(line.toString('latin1', 0, 6))) this.#listener.onUnreadable();
      return;
    }
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
    this.#listener.onData(
      data.length === 1 && only !== undefined ? only : Buffer.concat(data.flatMap((part) => [part, NEW_LINE])),
    );
  }
}

const DATA = Buffer.from('data:');
const NEW_LINE = Buffer.from('\n');

/** How the other lines of an event begin: comments and fields that hold nothing of an answer. */
const FIELD = /^(:|event:|id:|retry:|(data|event|id|retry)$)/;
