import type { Delegation } from '../agents/agent.js';
import { sha256Hex } from '../json/index.js';
import { gateError } from '../model/error-codes.js';
import type { Principal } from '../model/principal.js';
import { parseTraceparent } from '../trace/traceparent.js';

/** Where tokens come from: 32 random bytes as base64url (contract 7); the real one is core/io/ids.ts. */
export interface Tokens {
  token(): string;
}

/** The run that a grant is issued to, and what its children take from it. */
export interface GrantHolder {
  readonly invocationId: string;
  readonly agentId: string;
  readonly traceId: string;
  readonly principal: Principal;
  readonly conversationId?: string;
  readonly projectId?: string;
}

/** A child as its parent's envelope records it (contract 3). */
export interface DelegationRecord {
  readonly delegated_invocation_id: string;
  readonly delegated_agent_id: string;
  readonly delegated_agent_version: string;
  readonly delegated_status: string;
  readonly content_hash: string;
}

/** A grant in the hands of the run that it was issued to. */
export interface Grant {
  readonly delegation: Delegation;
  /** The children that were stored, in the order in which they were asked for. */
  records(): readonly DelegationRecord[];
  /** Revokes the grant; resolves once the children that were admitted before have ended. */
  revoke(): Promise<void>;
}

/** What a delegated request brings with it. */
export interface GrantClaim {
  readonly token: string;
  readonly traceparent: string;
  /** The agent that is asked for. */
  readonly agentId: string;
}

interface LiveGrant {
  /** A function, so that nothing which is shown of a grant shows it. */
  readonly token: () => string;
  readonly holder: GrantHolder;
  readonly children: Promise<unknown>[];
  /** One place a child; null until it is stored, and for good when it was refused. */
  readonly stored: (DelegationRecord | null)[];
}

/**
 * The grants of one process (conductor.txt, Delegation), in memory only. They are kept by the hash of their token, so that nothing
 * here can print one, and finding one takes no comparison whose time tells of it.
 */
export class Grants {
  readonly #tokens: Tokens;
  readonly #live = new Map<string, LiveGrant>();
  #url: string | null = null;

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  /** Says where delegated requests are taken; before that no grant is issued. */
  openAt(url: string): void {
    this.#url = url;
  }

  /** The tokens of the runs in progress, for those who see to it that none gets into a file. */
  liveTokens(): readonly string[] {
    return [...this.#live.values()].map(({ token }) => token());
  }

  /** Issues a grant to a run that is about to start; null where there is no endpoint to come back to. */
  issue(holder: GrantHolder): Grant | null {
    if (this.#url === null) return null;
    const token = this.#tokens.token();
    const key = sha256Hex(token);
    const live: LiveGrant = { token: () => token, holder, children: [], stored: [] };
    this.#live.set(key, live);
    return {
      delegation: { url: this.#url, token },
      records: () => live.stored.filter((record) => record !== null),
      revoke: async () => {
        this.#live.delete(key);
        await Promise.allSettled(live.children);
      },
    };
  }

  /**
   * Runs a child under a live grant and records it. Rejects with a GateError of blame `caller`, and runs nothing: `grant-unknown` for a
   * token that no run in progress holds, `grant-second-hand` for one that came out of another trace than its holder's, `delegation-to-self`.
   */
  async use<Child extends { readonly record: DelegationRecord }>(
    claim: GrantClaim,
    run: (holder: GrantHolder) => Promise<Child>,
  ): Promise<Child> {
    const live = this.#live.get(sha256Hex(claim.token));
    if (live === undefined) throw refused('grant-unknown', 'the delegation token is of no run in progress');
    const { holder } = live;
    // A token that was handed on would make the receiver's runs look like the holder's.
    if (parseTraceparent(claim.traceparent)?.traceId !== holder.traceId)
      throw refused('grant-second-hand', 'the delegation token is used outside the run that it was given to');
    if (claim.agentId === holder.agentId)
      throw refused('delegation-to-self', `the agent ${holder.agentId} may not delegate to itself`);
    const at = live.stored.push(null) - 1;
    const child = run(holder).then((ended) => {
      live.stored[at] = ended.record;
      return ended;
    });
    live.children.push(child);
    return child;
  }
}

function refused(code: 'grant-unknown' | 'grant-second-hand' | 'delegation-to-self', message: string): Error {
  return gateError(code, {
    blame: 'caller',
    message,
    remedy: 'delegate from the run that was given the token, while it is in progress, and to another agent',
  });
}
