// What Python's json and protobuf libraries write, by hand: nothing here comes from core/, so that the two cannot share a mistake.
import { createHash } from 'node:crypto';

/** A Python float; a plain number is a Python int. */
export class Float {
  constructor(readonly value: number) {}
}

export type PyValue =
  | null
  | boolean
  | number
  | string
  | Float
  | readonly PyValue[]
  | { readonly [key: string]: PyValue };

/** `json.dumps(value)` with the default separators and ASCII escapes. */
export function dumps(value: PyValue): string {
  return write(value, { comma: ', ', colon: ': ', ascii: true, sorted: false, struct: false });
}

/** `json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)`, whose SHA-256 the contract cites. */
export function canonical(value: PyValue): string {
  return write(value, { comma: ',', colon: ':', ascii: false, sorted: true, struct: false });
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** A value that crossed a protobuf Struct: every number is a double, and json.dumps writes it as one. */
export function throughStruct(value: PyValue): string {
  return write(value, { comma: ', ', colon: ': ', ascii: true, sorted: false, struct: true });
}

interface Style {
  readonly comma: string;
  readonly colon: string;
  readonly ascii: boolean;
  readonly sorted: boolean;
  readonly struct: boolean;
}

function write(value: PyValue, style: Style): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return style.struct ? repr(value) : String(value);
  if (value instanceof Float) return repr(value.value);
  if (typeof value === 'string') return quote(value, style.ascii);
  if (Array.isArray(value)) return `[${value.map((item: PyValue) => write(item, style)).join(style.comma)}]`;
  const entries = Object.entries(value as { readonly [key: string]: PyValue });
  if (style.sorted) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => quote(key, style.ascii) + style.colon + write(item, style)).join(style.comma)}}`;
}

/** repr(float), for the numbers of these tests. */
function repr(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
  return String(value).replace(/e\+?(-?)(\d)$/, 'e$10$2');
}

function quote(text: string, ascii: boolean): string {
  const quoted = JSON.stringify(text);
  if (!ascii) return quoted;
  return quoted.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
