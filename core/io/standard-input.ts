/** Standard input as a library of questions takes it. */
export function readableStdin(): NodeJS.ReadStream {
  return process.stdin;
}
