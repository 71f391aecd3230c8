import { misuse } from './sources.js';

/** What a model server says that one call cost; what it does not say is left out. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** The model that answered, when it is not the one that was asked. */
  readonly model_id?: string;
}

/** Adds up what the model calls of one run reported (contract 3, telemetry). */
export class UsageTotals {
  readonly #models = new Set<string>();
  #input: number | undefined;
  #output: number | undefined;

  add(usage: Usage & { readonly model_id: string }): void {
    this.#models.add(usage.model_id);
    this.#input = sum(this.#input, usage.input_tokens);
    this.#output = sum(this.#output, usage.output_tokens);
  }

  /** `model_id` and token counts for the result; empty when no model was called. Several models are joined by a comma. */
  members(): { readonly model_id?: string; readonly input_tokens?: number; readonly output_tokens?: number } {
    if (this.#models.size === 0) return {};
    return {
      model_id: [...this.#models].join(', '),
      ...(this.#input === undefined ? {} : { input_tokens: this.#input }),
      ...(this.#output === undefined ? {} : { output_tokens: this.#output }),
    };
  }
}

/** A token count as reported; throws GateError `agent-misuse` unless it is a whole number of at least 0. */
export function tokenCount(count: number | undefined, name: string): number | undefined {
  if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) return count;
  throw misuse(`${name} is ${String(count)}, not a whole number of tokens`);
}

function sum(total: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? total : (total ?? 0) + more;
}
