/** Whether two plain JSON values are the same value: key order does not matter, no method of a value is ever called. */
export function jsonEqual(one: unknown, other: unknown): boolean {
  return one === other || canonicalText(one) === canonicalText(other);
}

/** Whether a list holds the same JSON value twice. */
export function repeatedItem(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalText)).size < items.length;
}

/** A step of the writer: text to put down, or a value to write. */
type Step = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly value: unknown };

/** One text for each value; equal values have equal texts. Iterative, since the values are hostile. */
function canonicalText(root: unknown): string {
  const parts: string[] = [];
  const pending: Step[] = [{ kind: 'value', value: root }];
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (step.kind === 'text') parts.push(step.text);
    else if (Array.isArray(step.value)) pushAll(pending, listSteps(step.value));
    else if (typeof step.value === 'object' && step.value !== null) pushAll(pending, objectSteps(step.value));
    else parts.push(typeof step.value === 'number' ? String(step.value) : JSON.stringify(step.value));
  }
  return parts.join('');
}

/** Steps lie on a stack, so they are given last first. */
function listSteps(items: readonly unknown[]): Step[] {
  const steps = items.flatMap((value): Step[] => [{ kind: 'value', value }, text(',')]);
  return [text('['), ...steps, text(']')].reverse();
}

function objectSteps(value: object): Step[] {
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  const steps = members.flatMap(([key, item]): Step[] => [
    text(`${JSON.stringify(key)}:`),
    { kind: 'value', value: item },
    text(','),
  ]);
  return [text('{'), ...steps, text('}')].reverse();
}

/** Spreading a long list into arguments overflows the stack. */
function pushAll(pending: Step[], steps: readonly Step[]): void {
  for (const step of steps) pending.push(step);
}

function text(value: string): Step {
  return { kind: 'text', text: value };
}
