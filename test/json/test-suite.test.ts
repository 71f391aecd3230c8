import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../core/json/index.js';
import { GateError } from '../../core/model/errors.js';

// The parsing files of the public JSON test suite; see the README and LICENSE beside them.
const folder = new URL('../vectors/json-test-suite/test_parsing/', import.meta.url);
const files = readdirSync(folder).sort();

/** `y_` files that ours refuses, being stricter (contract 1). */
const STRICTER: Record<string, string> = {
  'y_object_duplicated_key.json': 'json-duplicate-key',
  'y_object_duplicated_key_and_value.json': 'json-duplicate-key',
};

/** What contract 1 says about the files that the suite leaves to the reader. */
const LEFT_TO_US: Record<string, string> = {
  'i_number_double_huge_neg_exp.json': 'read',
  'i_number_huge_exp.json': 'json-nonfinite',
  'i_number_neg_int_huge_exp.json': 'json-nonfinite',
  'i_number_pos_double_huge_exp.json': 'json-nonfinite',
  'i_number_real_neg_overflow.json': 'json-nonfinite',
  'i_number_real_pos_overflow.json': 'json-nonfinite',
  'i_number_real_underflow.json': 'read',
  'i_number_too_big_neg_int.json': 'read',
  'i_number_too_big_pos_int.json': 'read',
  'i_number_very_big_negative_int.json': 'read',
  'i_object_key_lone_2nd_surrogate.json': 'json-lone-surrogate',
  'i_string_1st_surrogate_but_2nd_missing.json': 'json-lone-surrogate',
  'i_string_1st_valid_surrogate_2nd_invalid.json': 'json-lone-surrogate',
  'i_string_UTF-16LE_with_BOM.json': 'json-encoding',
  'i_string_UTF-8_invalid_sequence.json': 'json-encoding',
  'i_string_UTF8_surrogate_U+D800.json': 'json-encoding',
  'i_string_incomplete_surrogate_and_escape_valid.json': 'json-lone-surrogate',
  'i_string_incomplete_surrogate_pair.json': 'json-lone-surrogate',
  'i_string_incomplete_surrogates_escape_valid.json': 'json-lone-surrogate',
  'i_string_invalid_lonely_surrogate.json': 'json-lone-surrogate',
  'i_string_invalid_surrogate.json': 'json-lone-surrogate',
  'i_string_invalid_utf-8.json': 'json-encoding',
  'i_string_inverted_surrogates_U+1D11E.json': 'json-lone-surrogate',
  'i_string_iso_latin_1.json': 'json-encoding',
  'i_string_lone_second_surrogate.json': 'json-lone-surrogate',
  'i_string_lone_utf8_continuation_byte.json': 'json-encoding',
  'i_string_not_in_unicode_range.json': 'json-encoding',
  'i_string_overlong_sequence_2_bytes.json': 'json-encoding',
  'i_string_overlong_sequence_6_bytes.json': 'json-encoding',
  'i_string_overlong_sequence_6_bytes_null.json': 'json-encoding',
  'i_string_truncated-utf-8.json': 'json-encoding',
  'i_string_utf16BE_no_BOM.json': 'json-encoding',
  'i_string_utf16LE_no_BOM.json': 'json-encoding',
  'i_structure_500_nested_arrays.json': 'read',
  'i_structure_UTF-8_BOM_empty_object.json': 'json-encoding',
};

function read(name: string): string {
  try {
    parseJson(readFileSync(new URL(encodeURIComponent(name), folder)), { file: name });
    return 'read';
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    expect(error.blame).toBe('unreadable');
    expect(error.place?.line).toBeGreaterThan(0);
    return error.code;
  }
}

describe('the public JSON test suite', () => {
  it('is whole', () => {
    expect(files.length).toBe(318);
    expect(files.filter((name) => name.startsWith('i_'))).toEqual(Object.keys(LEFT_TO_US).sort());
  });
  it.each(files)('answers for %s as the contract says', (name) => {
    const started = performance.now();
    const answer = read(name);
    expect(performance.now() - started).toBeLessThan(1000);
    if (name.startsWith('i_')) expect(answer).toBe(LEFT_TO_US[name]);
    else if (name.startsWith('y_')) expect(answer).toBe(STRICTER[name] ?? 'read');
    else expect(answer).toMatch(/^json-/);
  });
});
