import type { JsonNode } from '../json/index.js';
import type { GroundingMode } from '../model/report.js';
import type { RulePage } from '../model/rule-page.js';
import type { GroundingRuleId } from '../model/violation.js';
import type { Span } from '../trace/index.js';
import type { Citation, Pair } from './citation.js';
import type { Flaw } from './references.js';
import type { TraceTree } from './trace-tree.js';
import type { Trail } from './trail.js';

/** What the rules judge: the trace and the envelope, read once. Malformed items stand in `flaws` and nowhere else. */
export interface Facts {
  readonly envelope: JsonNode;
  /** The envelope's mode; null when it is none of the four. */
  readonly mode: GroundingMode | null;
  readonly succeeded: boolean;
  readonly tree: TraceTree;
  readonly payload: JsonNode | undefined;
  readonly references: readonly Citation[];
  readonly evidence: readonly Citation[];
  readonly flaws: readonly Flaw[];
  /** How many flaws there are besides those that stand in `flaws`. */
  readonly moreFlaws: number;
  /** Judged retrievals that fetched something: no ERROR status, id and hash stated. */
  readonly fetched: readonly Pair[];
  /** The input, as the conductor hashed it; undefined when the root or the envelope does not say. */
  readonly input: Pair | undefined;
  /** The delegations that the envelope records, as they are cited. */
  readonly delegated: readonly Pair[];
  /** Null for a run without doors that need not be witnessed. */
  readonly witness: WitnessFacts | null;
}

/** What the conductor itself wrote of what its doors served. */
export interface WitnessFacts {
  /** Whether the run has to be witnessed: W1 and W2 find nothing in any other. */
  readonly required: boolean;
  /** The spans that bear its mark. */
  readonly spans: ReadonlySet<Span>;
  /** Records that were served whole before the run ended. */
  readonly served: readonly Pair[];
}

/** A value in the envelope. */
export interface Spot {
  readonly node: JsonNode;
  readonly trail: Trail;
}

/** One fault that a rule found; the linter adds the rule's id, and pointer, line and column of what is named here. */
export interface Finding {
  readonly message: string;
  readonly cited?: Pair | undefined;
  readonly span?: Span | undefined;
  readonly spot?: Spot | undefined;
}

/** One rule: its page, the modes in which it applies, and its check, which returns findings and never throws. */
export interface Rule extends RulePage<GroundingRuleId> {
  readonly modes: readonly GroundingMode[];
  readonly check: (facts: Facts) => readonly Finding[];
}
