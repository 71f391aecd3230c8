import { type JsonNode, parseJson } from '../json/index.js';
import { EventReader } from './event-reader.js';

/** What the conductor learned of a model call from what passed through; null is what was not said. */
export interface ObservedCall {
  readonly modelId: string | null;
  readonly requestedModelId: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Why there was no answer; null once a part of one went to the agent. */
  readonly failure: string | null;
}

/** What an answer begins with. */
export interface AnswerHead {
  readonly status: number;
  readonly contentType: string;
  readonly encoding?: string;
}

/** The largest bodies that are looked into; larger ones pass unread. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The longest name of a model that is written down. */
const MAX_NAME_LENGTH = 256;

/** Events that come before anything of an answer does, or instead of it. */
const EMPTY_EVENTS = new Set([
  'message_start',
  'ping',
  'error',
  'response.created',
  'response.queued',
  'response.in_progress',
]);
const UNANSWERED = 'it was not answered';
const FAILED_EVENTS = new Set(['error', 'response.failed']);

/**
 * Listens to one model call and changes nothing of it: the request for the model that is asked, the answer for the model and the
 * tokens, from a JSON body or from server-sent events of OpenAI's chat completions and responses and of Anthropic's messages.
 */
export class ModelObserver {
  readonly #request = new Body(MAX_REQUEST_BYTES);
  #answer: Body | EventReader | null = null;
  #failure: string | null = UNANSWERED;
  #answered = false;
  #requested: string | null = null;
  #model: string | null = null;
  #input: number | null = null;
  #output: number | null = null;

  /** A piece of the request's body. */
  asked(chunk: Buffer): void {
    this.#request.push(chunk);
  }

  /** The head of the answer; `encoding` is its Content-Encoding. */
  head({ status, contentType, encoding = 'identity' }: AnswerHead): void {
    if (status >= 400) {
      this.#failure = `the model's server answered ${status}`;
      return;
    }
    // In what is packed no event can be told from another: any byte of it may be an answer.
    const events = /^text\/event-stream\b/i.test(contentType) && /^identity$/i.test(encoding);
    this.#answer = events
      ? new EventReader({ onData: (data) => this.#event(data), onUnreadable: () => this.#succeed() })
      : new Body(MAX_ANSWER_BYTES);
  }

  /** A piece of the answer's body, before it is passed on. */
  told(chunk: Buffer): void {
    if (this.#answer === null) return;
    if (this.#answer instanceof Body && !this.#answered) this.#succeed();
    this.#answer.push(chunk);
  }

  /** The answer is whole, and nothing was wrong with it. */
  ended(): void {
    if (this.#answer instanceof Body) this.#succeed();
    else this.#readRest();
  }

  /** There is no answer. What was passed on before stays one, and the first reason the reason. */
  failed(reason: string): void {
    this.#readRest();
    this.#fail(reason);
  }

  /** What is known by now. */
  observed(): ObservedCall {
    this.#requested ??= nameOf(this.#request.node()?.get('model'));
    if (this.#answer instanceof Body) this.#read(this.#answer.node());
    else this.#readRest();
    return {
      modelId: this.#model ?? this.#requested,
      requestedModelId: this.#requested,
      inputTokens: this.#input,
      outputTokens: this.#output,
      failure: this.#failure,
    };
  }

  /** An event that was cut may have brought an answer; one that is whole says what it is. */
  #readRest(): void {
    if (this.#answer instanceof EventReader) this.#answer.end();
  }

  #fail(reason: string): void {
    if (this.#failure === UNANSWERED) this.#failure = reason;
  }

  #succeed(): void {
    this.#answered = true;
    this.#failure = null;
  }

  #event(data: Buffer): void {
    // The many events that hold a word each are not worth reading.
    if (this.#answered && this.#model !== null && !data.includes('"usage"')) return;
    const node = read(data);
    const type = node?.get('type')?.string() ?? (node?.present('error') === undefined ? '' : 'error');
    if (FAILED_EVENTS.has(type)) this.#fail("the model's server reported an error");
    else if (!this.#answered && !EMPTY_EVENTS.has(type)) this.#succeed();
    this.#read(node);
  }

  #read(node: JsonNode | undefined): void {
    if (node === undefined) return;
    // Events hold the answer in a member of their own.
    for (const holder of [node, node.get('response'), node.get('message')]) {
      this.#model = nameOf(holder?.get('model')) ?? this.#model;
      const usage = holder?.get('usage');
      this.#input = inputTokens(usage) ?? this.#input;
      this.#output = countOf(usage, 'completion_tokens') ?? countOf(usage, 'output_tokens') ?? this.#output;
    }
  }
}

/** Anthropic counts what its cache took or gave apart from the rest. */
function inputTokens(usage: JsonNode | undefined): number | null {
  const plain = countOf(usage, 'prompt_tokens') ?? countOf(usage, 'input_tokens');
  if (plain === null) return null;
  const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'].map((name) => countOf(usage, name) ?? 0);
  return cached.reduce((sum, count) => sum + count, plain);
}

function countOf(usage: JsonNode | undefined, name: string): number | null {
  const count = usage?.present(name)?.integer();
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : null;
}

/** Half a surrogate pair could not be written into the trace. */
function nameOf(node: JsonNode | undefined): string | null {
  const name = node?.string();
  return name !== undefined && name !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() ? name : null;
}

function read(bytes: Buffer): JsonNode | undefined {
  try {
    return parseJson(bytes, { file: '<model call>' });
  } catch {
    // What a client makes of it is its own business: nothing is learned of it here.
    return undefined;
  }
}

/** A body of which a copy is kept while it is small enough. */
class Body {
  readonly #most: number;
  #chunks: Buffer[] | null = [];
  #bytes = 0;
  #node: JsonNode | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#most) this.#chunks = null;
    this.#chunks?.push(chunk);
  }

  node(): JsonNode | undefined {
    if (this.#chunks === null || this.#bytes === 0) return this.#node;
    this.#node = read(Buffer.concat(this.#chunks));
    this.#chunks = null;
    return this.#node;
  }
}
