import type { Place } from './violation.js';

/** Whose fault an error is: the caller's request, the configuration, an input that cannot be read, an agent, or ours. */
export type Blame = 'caller' | 'configuration' | 'unreadable' | 'agent' | 'internal';

/** What `GateError` is made of; `place` may lack line and column when only the file is known. */
export interface GateErrorInit {
  readonly blame: Blame;
  readonly message: string;
  /** What the reader can do about it: an imperative clause without a full stop. */
  readonly remedy?: string;
  readonly place?: { readonly file: string; readonly line?: number; readonly column?: number };
  readonly cause?: unknown;
}

/**
 * The one error class of the core. `code` comes from a closed set (`ErrorCode` in error-codes.ts);
 * tests assert the code, people read `describe()`.
 */
export class GateError<Code extends string = string> extends Error {
  override readonly name = 'GateError';
  readonly code: Code;
  readonly blame: Blame;
  readonly remedy: string | undefined;
  readonly place: GateErrorInit['place'];

  constructor(code: Code, init: GateErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.blame = init.blame;
    this.remedy = init.remedy;
    this.place = init.place;
  }

  /** One line: `file:line:column: what; how to mend it [code]`, control characters escaped. */
  describe(): string {
    const where = this.place === undefined ? '' : `${placeText(this.place)}: `;
    const remedy = this.remedy === undefined ? '' : `; ${this.remedy}`;
    return oneLine(`${where}${this.message}${remedy} [${this.code}]`);
  }
}

function placeText(place: { readonly file: string; readonly line?: number; readonly column?: number }): string {
  const parts = [place.file, place.line, place.column].filter((part) => part !== undefined);
  return parts.join(':');
}

/**
 * Makes untrusted text safe to stand on one line of a terminal or log: control, bidirectional and
 * line-breaking characters become `\uXXXX`, and so does the bracket of `##[`, which begins a command in a workflow's log.
 */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]|(?<=##)\[/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Most texts are printable ASCII without such a bracket, which a look at their units tells sooner than the pattern. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e || (unit === OPENING && i > 0 && text.charCodeAt(i - 1) === NUMBER_SIGN))
      return false;
  }
  return true;
}

const OPENING = 0x5b;
const NUMBER_SIGN = 0x23;

export type { Place };

/** What an error says; a thrown value that is none, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
