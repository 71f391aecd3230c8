// @ts-check
// Reviews a metadata record by fixed rules. Where QUALITY_MODEL_URL names an OpenAI-compatible server, a model words the
// findings; it never adds one, and without it the rules' own sentences stand.
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text, texts } from './class-schema.js';
import { findingsOf } from './quality/findings.js';
import { wordFindings } from './quality/model.js';

/** @typedef {import('./quality/findings.js').MetadataRecord} MetadataRecord */

const MODEL = 'default';

export default defineAgent({
  agent_id: 'advisor.quality',
  version: '0.1.0',
  description: 'Finds what a metadata record lacks: identifier, licence, creators, keywords and more.',
  action_class: 'assess',
  accepts: ['MetadataRecord'],
  grounding_mode: 'input_only',
  payload: 'QualityReview',
  derivations: {
    'findings.rule': { how: 'lexical', recorded_in: null },
    'findings.wording': { how: 'model', recorded_in: 'findings.wording_derivation' },
  },
  schemas: {
    MetadataRecord: classSchema('MetadataRecord', {
      identifier: text,
      title: text,
      description: text,
      creators: texts,
      license: text,
      keywords: texts,
      publication_date: text,
    }),
    QualityReview: classSchema(
      'QualityReview',
      {
        findings: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['rule', 'field', 'severity', 'wording', 'wording_derivation'],
            properties: {
              rule: text,
              field: text,
              severity: { type: 'string', enum: ['error', 'warning'] },
              wording: text,
              wording_derivation: { type: 'string', enum: ['template', 'model'] },
            },
          },
        },
        grounded_on: groundedOn,
      },
      ['findings', 'grounded_on'],
    ),
  },

  async run(ctx, /** @type {MetadataRecord & { schema_class: string }} */ { schema_class: _, ...record }) {
    if (Object.keys(record).length === 0) {
      return ctx.abstained({ statement: 'The record has no members to review.', reason_code: 'insufficient_input' });
    }
    const findings = findingsOf(record);
    const worded = await wordingsFor(ctx, findings);
    const count = findings.length === 1 ? 'one finding' : `${findings.length} findings`;
    return ctx.succeeded({
      statement: `The review ends with ${count}.`,
      payload: {
        findings: findings.map((finding) => {
          const wording = worded.get(finding.rule);
          return wording === undefined
            ? { ...finding, wording_derivation: 'template' }
            : { ...finding, wording, wording_derivation: 'model' };
        }),
        grounded_on: [ctx.cite(ctx.input)],
      },
    });
  },
});

/**
 * The model's sentences by rule; none without a server, without findings, or when the server fails.
 *
 * @param {import('grounding-gate/agent').AgentContext} ctx
 * @param {readonly import('./quality/findings.js').Finding[]} findings
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function wordingsFor(ctx, findings) {
  const url = process.env['QUALITY_MODEL_URL'];
  if (url === undefined || findings.length === 0) return new Map();
  try {
    return await ctx.chat(MODEL, async (report) => {
      const { wordings, usage } = await wordFindings({ url, model: MODEL, findings });
      report(usage);
      return wordings;
    });
  } catch (error) {
    console.error(
      `the findings keep their own wording: ${error instanceof Error ? error.message : 'the model failed'}`,
    );
    return new Map();
  }
}
