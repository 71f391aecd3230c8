/** A request over HTTP; the body is JSON when there is one. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /**
   * It does no harm twice, so that it may try a connection that an earlier session left, and be sent once more when the other side has
   * closed that one.
   */
  readonly repeatable?: true;
}

/** What came back, whole. */
export interface HttpReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Requests that share one deadline. `send` rejects with a GateError of blame `agent`: `agent-timeout` when the deadline passes,
 * `agent-unreachable` when the connection fails or breaks, `agent-reply-too-large` for a longer answer than allowed. No redirect is followed:
 * it comes back as the reply that it is.
 */
export interface HttpSession {
  send(request: HttpRequest): Promise<HttpReply>;
  /** Ends the deadline; requests under way are dropped. */
  close(): void;
}

/** The network as the core sees it; the real one is core/io/http-client.ts. */
export interface HttpClient {
  /** Begins a session whose requests must all be answered within `timeoutMs` from now, with at most `maxBytes` (16 MB) each. */
  within(timeoutMs: number, maxBytes?: number): HttpSession;
}
