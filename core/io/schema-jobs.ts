import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { createContext, Script } from 'node:vm';
import { type ClassValidator, compileClass } from '../contract/class-validator.js';
import type { SchemaVerdict } from '../contract/ports.js';
import { parseJson } from '../json/index.js';

/** One job of the schema worker; without a document, the schema is compiled and nothing more. */
export interface SchemaJob {
  /** Of processor time as a rule: see `patienceMs`. */
  readonly deadlineMs: number;
  /** How long the job may take where the machine gives it hardly any processor time. */
  readonly patienceMs: number;
  readonly schema: Uint8Array;
  readonly document?: Uint8Array;
}

/** Compiled classes that are kept; a run uses two, a registry some dozens. */
const KEPT_CLASSES = 100;

/** Does jobs one after the other, each under its own deadline, and keeps the classes that it compiled. */
export function createSchemaJobs(): (job: SchemaJob) => SchemaVerdict {
  const compiled = new Map<string, ClassValidator>();
  return (job) => verdictOf(job, compiled);
}

function verdictOf(job: SchemaJob, compiled: Map<string, ClassValidator>): SchemaVerdict {
  let stage: 'compile' | 'validate' = 'compile';
  try {
    return withinDeadline(job, (): SchemaVerdict => {
      const validate = classOf(job.schema, compiled);
      if (job.document === undefined) return { kind: 'valid' };
      const document = parseJson(job.document, { file: 'document' });
      stage = 'validate';
      const faults = validate(document);
      return faults.length === 0 ? { kind: 'valid' } : { kind: 'invalid', faults };
    });
  } catch (error) {
    return refusalOf(error, stage);
  }
}

function classOf(bytes: Uint8Array, compiled: Map<string, ClassValidator>): ClassValidator {
  const key = createHash('sha256').update(bytes).digest('hex');
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const validator = compileClass(parseJson(bytes, { file: 'class schema' }));
  const oldest = compiled.keys().next().value;
  if (compiled.size >= KEPT_CLASSES && oldest !== undefined) compiled.delete(oldest);
  compiled.set(key, validator);
  return validator;
}

/**
 * Runs `work` and breaks it off at the deadline, even in the middle of a regular expression. The parent kills this
 * process as well, but a parent that is gone cannot. On a machine so busy that the deadline passed while this process
 * hardly ran, the schema has shown nothing against itself: the work is begun anew, with the time that is left.
 */
function withinDeadline<T>({ deadlineMs, patienceMs }: SchemaJob, work: () => T): T {
  let result: { readonly value: T } | undefined;
  sandbox.work = () => {
    result = { value: work() };
  };
  const before = process.cpuUsage();
  try {
    script.runInContext(context, { timeout: deadlineMs });
  } catch (error) {
    const { user, system } = process.cpuUsage(before);
    if (!isLate(error) || (user + system) / 1000 >= OWN_SHARE * deadlineMs) throw error;
    script.runInContext(context, { timeout: patienceMs - deadlineMs });
  }
  if (result === undefined) throw new Error('the job ended without a result');
  return result.value;
}

/** A job that had less than this part of its deadline as processor time was kept waiting by the machine. */
const OWN_SHARE = 0.8;

const sandbox: { work?: () => void } = {};
const context = createContext(sandbox);
const script = new Script('work()');

function refusalOf(error: unknown, stage: 'compile' | 'validate'): SchemaVerdict {
  // The error of a broken-off script comes from the sandbox's realm, where `instanceof` does not reach.
  const message = types.isNativeError(error) ? error.message : String(error);
  if (isLate(error)) return { kind: 'refused', reason: 'deadline', message };
  if (error instanceof RangeError) return { kind: 'refused', reason: 'recursion', message };
  const said = stage === 'compile' ? message : `its validator failed: ${message}`;
  return { kind: 'refused', reason: 'does-not-compile', message: said };
}

function isLate(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
