import { ATTRIBUTES } from '../../trace/names.js';
import { isName, misuse } from './sources.js';

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

/** What was reported, without what was left out; throws GateError `agent-misuse` for a count that is not a whole number of at least 0. */
export function checkedUsage({ input_tokens, output_tokens, model_id }: Usage): Usage {
  for (const count of [input_tokens, output_tokens]) {
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 0))
      throw misuse(`${String(count)} is not a whole number of tokens`);
  }
  if (model_id !== undefined && !isName(model_id)) throw misuse('the model_id that was reported is not a name');
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(model_id === undefined ? {} : { model_id }),
  };
}

/** The same as attributes of a chat span (contract 4). */
export function usageAttributes({
  input_tokens,
  output_tokens,
  model_id,
}: Usage): Readonly<Record<string, string | number>> {
  return {
    ...(model_id === undefined ? {} : { [ATTRIBUTES.modelId]: model_id }),
    ...(input_tokens === undefined ? {} : { [ATTRIBUTES.inputTokens]: input_tokens }),
    ...(output_tokens === undefined ? {} : { [ATTRIBUTES.outputTokens]: output_tokens }),
  };
}

function sum(total: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? total : (total ?? 0) + more;
}
