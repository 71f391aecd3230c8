/**
 * The offset after the bracket that closes a flow collection, searched from the end of its last child;
 * only white space, commas, comments and empty nodes' properties can stand between.
 */
export function flowEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === ']' || character === '}') return at + 1;
    if (character === '#' && /\s/.test(text.charAt(at - 1))) at = lineEnd(text, at);
    else at += 1;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const found = text.slice(from).search(/[\r\n]/);
  return found === -1 ? text.length : from + found;
}
