/** Closes a switch over a tagged union: a case that the compiler knows to be impossible. */
export function assertNever(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
