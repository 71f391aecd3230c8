import type { Rule } from './rule.js';
import { d1 } from './rules/d1-references-were-delegated.js';
import { d2 } from './rules/d2-evidence-was-delegated.js';
import { d3 } from './rules/d3-the-input-is-evidence.js';
import { e1 } from './rules/e1-content-matches-hash.js';
import { g0 } from './rules/g0-run-can-be-judged.js';
import { g1 } from './rules/g1-retrieval-before-chat.js';
import { g2 } from './rules/g2-references-were-fetched.js';
import { g3 } from './rules/g3-evidence-was-fetched.js';
import { g4 } from './rules/g4-references-have-evidence.js';
import { n1 } from './rules/n1-no-model-calls.js';
import { r1 } from './rules/r1-no-retrievals.js';
import { r2 } from './rules/r2-only-the-input-is-cited.js';
import { r3 } from './rules/r3-the-input-is-cited.js';
import { w1 } from './rules/w1-citations-were-served.js';
import { w2 } from './rules/w2-model-calls-were-seen.js';

/** Every rule of the linter, in the order of GROUNDING_RULES, in which reports list them. */
export const RULES: readonly Rule[] = [g0, e1, g1, g2, g3, g4, r1, r2, r3, n1, d1, d2, d3, w1, w2];
