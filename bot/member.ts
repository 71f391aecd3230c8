/** The own member of a value of unknown shape; undefined when it has none. Webhooks and Octokit's answers come as such values. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** A member that is a safe whole number, as GitHub's ids are; undefined for anything else. */
export function idMember(value: unknown, ...path: readonly string[]): number | undefined {
  const id = member(value, ...path);
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** A member that is text; undefined for anything else. */
export function textMember(value: unknown, ...path: readonly string[]): string | undefined {
  const text = member(value, ...path);
  return typeof text === 'string' ? text : undefined;
}
