// @ts-check
// What can be wrong with a metadata record: fixed rules, each with its own wording.

/**
 * @typedef {{ identifier?: string, title?: string, description?: string, creators?: string[], license?: string,
 *   keywords?: string[], publication_date?: string }} MetadataRecord
 * @typedef {{ rule: string, field: string, severity: 'error' | 'warning', wording: string }} Finding
 * @typedef {Finding & { broken: (record: MetadataRecord) => boolean }} Rule
 */

const PERSISTENT =
  /^(?:https?:\/\/(?:doi\.org|hdl\.handle\.net|w3id\.org|purl\.org)\/\S+|(?:doi|hdl|ark|urn):\S+|10\.\d{4,9}\/\S+)$/i;
const OPEN_LICENCE =
  /^(?:CC0-1\.0|CC-BY(?:-SA)?-[34]\.0|ODbL-1\.0|ODC-By-1\.0|PDDL-1\.0)$|^https?:\/\/(?:creativecommons\.org|opendatacommons\.org)\//i;
const ISO_DATE = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;

const SHORT_DESCRIPTION = 40;
const FEW_KEYWORDS = 3;

/** @param {string | undefined} text */
const blank = (text) => text === undefined || text.trim() === '';

/** @type {readonly Rule[]} */
const RULES = [
  {
    rule: 'identifier-missing',
    field: 'identifier',
    severity: 'error',
    wording: 'The record has no identifier: give it a DOI or another persistent one.',
    broken: ({ identifier }) => blank(identifier),
  },
  {
    rule: 'identifier-not-persistent',
    field: 'identifier',
    severity: 'warning',
    wording: 'The identifier is of no known persistent kind, so that it may stop working.',
    broken: ({ identifier = '' }) => !blank(identifier) && !PERSISTENT.test(identifier.trim()),
  },
  {
    rule: 'title-missing',
    field: 'title',
    severity: 'error',
    wording: 'The record has no title.',
    broken: ({ title }) => blank(title),
  },
  {
    rule: 'description-missing',
    field: 'description',
    severity: 'error',
    wording: 'The record has no description: say what the data are, where they come from and how they were made.',
    broken: ({ description }) => blank(description),
  },
  {
    rule: 'description-short',
    field: 'description',
    severity: 'warning',
    wording: 'The description is too short to let anyone judge whether the data fit.',
    broken: ({ description = '' }) => !blank(description) && description.trim().length < SHORT_DESCRIPTION,
  },
  {
    rule: 'creators-missing',
    field: 'creators',
    severity: 'error',
    wording: 'The record names no creator, so that the data cannot be cited.',
    broken: ({ creators = [] }) => !creators.some((creator) => !blank(creator)),
  },
  {
    rule: 'licence-missing',
    field: 'license',
    severity: 'error',
    wording: 'The record has no licence, so that nobody may reuse the data.',
    broken: ({ license }) => blank(license),
  },
  {
    rule: 'licence-unknown',
    field: 'license',
    severity: 'warning',
    wording: 'The licence is none of the usual open ones: name it by its SPDX identifier or its address.',
    broken: ({ license = '' }) => !blank(license) && !OPEN_LICENCE.test(license.trim()),
  },
  {
    rule: 'keywords-few',
    field: 'keywords',
    severity: 'warning',
    wording: 'The record has fewer than three keywords, so that it is hard to find.',
    broken: ({ keywords = [] }) => keywords.filter((keyword) => !blank(keyword)).length < FEW_KEYWORDS,
  },
  {
    rule: 'date-malformed',
    field: 'publication_date',
    severity: 'warning',
    wording: 'The publication date is not written as a year, a month or a day of ISO 8601.',
    broken: ({ publication_date = '' }) => !blank(publication_date) && !ISO_DATE.test(publication_date.trim()),
  },
];

/** Every finding on a record, in the order of the rules. @param {MetadataRecord} record @returns {Finding[]} */
export function findingsOf(record) {
  return RULES.filter(({ broken }) => broken(record)).map(({ rule, field, severity, wording }) => ({
    rule,
    field,
    severity,
    wording,
  }));
}
