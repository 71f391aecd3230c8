import type { AttributeSet, AttributeValue } from './attributes.js';

/** An attribute as the table looks at it: its key, and the strings that its value is or holds. */
export interface ShownAttribute {
  readonly key: string;
  readonly texts: readonly string[];
}

/** No key of the table is as long as this. */
const LONGEST_KEY = 256;

/**
 * The attributes that `knows` says are worth a look. A value that is an object counts as attributes of its own, their
 * keys joined with points; the strings below a list or an object count as texts of each key above them.
 */
export function shownAttributes(set: AttributeSet, knows: (key: string) => boolean): readonly ShownAttribute[] {
  const shown: ShownAttribute[] = [];
  for (const [key, value] of set.present()) {
    if (!knows(key)) continue;
    if (value.text !== undefined) shown.push({ key, texts: [value.text] });
    else spread(key, { value, shown });
  }
  return shown;
}

/** Walks what a value holds without recursion, since an agent chose the depth. */
function spread(key: string, into: { readonly value: AttributeValue; readonly shown: ShownAttribute[] }): void {
  const texts: string[] = [];
  into.shown.push({ key, texts });
  const stack: { readonly path: string; readonly value: AttributeValue }[] = [{ path: key, value: into.value }];
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    const { path, value } = one;
    const { text } = value;
    if (text !== undefined) texts.push(text);
    if (path !== key) into.shown.push({ key: path, texts: text === undefined ? [] : [text] });
    for (const item of value.items()) stack.push({ path, value: item });
    for (const [member, inner] of value.members()) stack.push({ path: joined(path, member), value: inner });
  }
}

/** Cut beyond the longest key, so that a deep document stays linear in its size. */
function joined(path: string, member: string): string {
  return path.length > LONGEST_KEY ? path : `${path}.${member.slice(0, LONGEST_KEY)}`;
}
