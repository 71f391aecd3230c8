/**
 * Any text as a YAML string in double quotes, on one line: JSON's escapes are YAML's too, and what YAML does not take
 * as printable (or takes for a line break) is escaped besides. Half a surrogate pair cannot be written; readers refuse it.
 */
export function yamlString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
