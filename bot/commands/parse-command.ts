/** What a comment may ask for. */
export type Command =
  | { readonly kind: 'recheck' }
  | { readonly kind: 'help' }
  | { readonly kind: 'explain'; readonly topic: string }
  /** It is meant for the bot and is none of its commands. */
  | { readonly kind: 'unknown' };

const FIRST_WORD = '/grounding';

/** Whether a comment speaks to the bot at all: by its first line, exactly. */
export function isForBot(body: string): boolean {
  const line = firstLine(body);
  return line === FIRST_WORD || line.startsWith(`${FIRST_WORD} `);
}

/** Reads the first line of a comment; null when it is not for the bot. Quoted and later lines are nobody's orders. */
export function parseCommand(body: string): Command | null {
  if (!isForBot(body)) return null;
  const words = firstLine(body).split(' ');
  const [, verb, topic] = words;
  if (verb === 'recheck' && words.length === 2) return { kind: 'recheck' };
  if (verb === 'help' && words.length === 2) return { kind: 'help' };
  if (verb === 'explain' && topic !== undefined && topic !== '' && words.length === 3)
    return { kind: 'explain', topic };
  return { kind: 'unknown' };
}

function firstLine(body: string): string {
  return body.split(/\r?\n/, 1)[0]?.trimEnd() ?? '';
}
