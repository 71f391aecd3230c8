import type { SourceRule } from './rule.js';
import { s1 } from './rules/s1-record-exists.js';
import { s2 } from './rules/s2-record-says-so.js';

/** The rules of the source check, in the order of SOURCE_RULES. */
export const SOURCE_CHECKS: readonly SourceRule[] = [s1, s2];
