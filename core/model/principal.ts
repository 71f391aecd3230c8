/** Whom a run is made for (contract 3); the agent is never told. */
export interface Principal {
  readonly principalId: string;
  readonly name: string;
  readonly principalKind: 'person' | 'accountable_role';
  readonly assurance: 'asserted';
}

/** The port that says who the caller acts for (contract 7); asked by the command line, `serve` and the Action. */
export interface Authenticator {
  /** Null when nobody is configured. */
  principal(): Promise<Principal | null>;
}
