/** The way from a document's root to a value: kept as links, and written out only for what is reported. */
export interface Trail {
  readonly above: Trail | null;
  readonly token: string | number;
}

/** The RFC 6901 pointer of a trail. */
export function pointerOf(trail: Trail): string {
  const tokens: string[] = [];
  for (let step: Trail | null = trail; step !== null; step = step.above) {
    tokens.push(String(step.token).replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return `/${tokens.reverse().join('/')}`;
}
