// @ts-check
import { classSchema, groundedOn, text, texts } from '../class-schema.js';

/**
 * What a person tells about a dataset; every member may be left out.
 *
 * @typedef {{ title?: string, description?: string, keywords?: string[], subjects?: string[], formats?: string[], at_most?: number }} DatasetProfile
 */

export const DATASET_PROFILE = classSchema('DatasetProfile', {
  title: text,
  description: text,
  keywords: texts,
  subjects: texts,
  formats: texts,
  at_most: { type: 'integer', minimum: 1, maximum: 10 },
});

// A recommendation names its record in grounded_on alone; the reader is shown the evidence.
export const STANDARD_ADVICE = classSchema(
  'StandardAdvice',
  {
    recommendations: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['rank', 'score', 'rationale', 'matched_words', 'shared_subjects', 'grounded_on'],
        properties: {
          rank: { type: 'integer', minimum: 1 },
          score: { type: 'number' },
          rationale: text,
          matched_words: texts,
          shared_subjects: texts,
          grounded_on: groundedOn,
        },
      },
    },
    grounded_on: groundedOn,
  },
  ['recommendations', 'grounded_on'],
);
