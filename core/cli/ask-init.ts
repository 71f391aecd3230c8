import type { StarterAgent } from '../init/index.js';
import { readableStdin } from '../io/standard-input.js';
import { gateError } from '../model/error-codes.js';
import type { StarterCopy } from '../runner/init-repository.js';
import type { World } from './world.js';

/** What `grounding init` wants to know. */
export interface InitAnswers {
  readonly agents: readonly StarterAgent[];
  readonly copy: StarterCopy | null;
  readonly workflow: boolean;
}

/** What is not asked, since it needs no answer. */
export interface Known {
  /** agents.yaml is there, so that its agents are taken. */
  readonly hasAgents: boolean;
  /** sources.yaml is there. */
  readonly hasSources: boolean;
}

type Prompts = typeof import('@clack/prompts');

/** Asks on the terminal; rejects with GateError `interrupted` when the user gives up, and nothing was written then. */
export async function askInit(world: World, known: Known): Promise<InitAnswers> {
  const prompts = await import('@clack/prompts');
  const asking = new Asking(prompts, world);
  const agents = known.hasAgents ? [] : await askAgents(asking);
  const copy = known.hasSources ? null : await askCopy(asking);
  const workflow = await asking.confirm('Write a workflow that judges pull requests?', true);
  return { agents, copy, workflow };
}

async function askAgents(asking: Asking): Promise<readonly StarterAgent[]> {
  const agents: StarterAgent[] = [];
  for (;;) {
    const kind = await asking.select(agents.length === 0 ? 'What is your agent?' : 'Another agent?', [
      ...(agents.length === 0 ? [] : [{ value: 'none', label: 'no' }]),
      { value: 'module', label: 'a module here' },
      { value: 'service', label: 'a service at an address' },
      ...(agents.length === 0 ? [{ value: 'none', label: 'none yet: write an example' }] : []),
    ]);
    if (kind === 'none') return agents;
    if (kind === 'module') agents.push({ kind, module: await asking.text('Which file exports it?', 'my-agent.mjs') });
    else agents.push({ kind: 'service', url: await asking.text('At which address?', 'http://127.0.0.1:9001') });
  }
}

async function askCopy(asking: Asking): Promise<StarterCopy | null> {
  if (!(await asking.confirm('Pin a copy of a source now?', false))) return null;
  return {
    file: await asking.text('Which file? JSON Lines, or one JSON array of objects', 'data/records.jsonl'),
    ref: await asking.text('Which snapshot_ref do citations carry?', 'records-1'),
    idField: await asking.text("Which member holds a record's id?", 'id'),
  };
}

/** The questions of the library, with what they share: where they are asked, and what giving up means. */
class Asking {
  readonly #prompts: Prompts;
  readonly #streams: { readonly output: NodeJS.WritableStream; readonly input: NodeJS.ReadableStream };

  constructor(prompts: Prompts, { err }: World) {
    this.#prompts = prompts;
    this.#streams = { output: err.stream, input: readableStdin() };
  }

  async text(message: string, placeholder: string): Promise<string> {
    const validate = (value: string | undefined): string | undefined =>
      value === undefined || value.trim() === '' ? 'Please give one' : undefined;
    return this.#answer<string>(this.#prompts.text({ message, placeholder, validate, ...this.#shared() }));
  }

  async confirm(message: string, initialValue: boolean): Promise<boolean> {
    return this.#answer<boolean>(this.#prompts.confirm({ message, initialValue, ...this.#shared() }));
  }

  async select(message: string, options: { value: string; label: string }[]): Promise<string> {
    return this.#answer<string>(this.#prompts.select({ message, options, ...this.#shared() }));
  }

  /** The library asks for the very classes of Node's streams. */
  #shared(): object {
    return this.#streams;
  }

  async #answer<Value>(asked: Promise<unknown>): Promise<Value> {
    const answer = await asked;
    if (!this.#prompts.isCancel(answer)) return answer as Value;
    throw gateError('interrupted', {
      blame: 'caller',
      message: 'nothing was written',
      remedy: 'run it again, or give flags',
    });
  }
}
