/** How much of a token counts as the token: an error text may have been cut in the middle of it. */
const TELLING = 16;

/** The address of a pass-through to models, whose token is the agent's process's, and which clients name in their errors. */
const LANE = /\/[\w-]{43}\/(openai|anthropic)\b/g;

/** Any character of a token, written as JSON escapes it, in however many strings of JSON inside strings of JSON. */
const ESCAPED = /\\+u00([2-7][0-9a-f])/gi;

/** Whether a text holds a token, also one written with JSON's escapes. */
export function showsToken(text: string, token: string): boolean {
  return text.includes(token) || unescaped(text).includes(token);
}

/** The text without tokens, and without the larger part of one (contract 7): none is in a file or a message, whatever an agent does with it. */
export function withoutTokens(text: string, tokens: readonly string[]): string {
  const plain = tokens.some((token) => unescaped(text).includes(token)) ? unescaped(text) : text;
  return tokens
    .reduce((rest, token) => rest.replace(new RegExp(`${token.slice(0, TELLING)}[\\w-]*`, 'g'), '(token)'), plain)
    .replace(LANE, '/(token)/$1');
}

function unescaped(text: string): string {
  if (!text.includes('\\u00')) return text;
  return text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
