// @ts-check
// Drafts a plan from what it is given, by a template, in mode `input_only`. In a project, the inventory and the requirements of the chosen
// repository are the project's, whatever the caller sent; every draft becomes a proposed version that a person accepts.
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text, texts } from './class-schema.js';

/** @typedef {{ title: string, format?: string }} Item */
/** @typedef {{ document_kind: string, inventory?: readonly Item[], requirements?: readonly string[], revises?: string }} DraftRequest */

const inventory = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['title'],
    properties: { title: text, format: text },
  },
};

export default defineAgent({
  agent_id: 'advisor.draft',
  version: '0.1.0',
  description: 'Drafts a data management plan from an inventory and what a repository requires.',
  action_class: 'draft',
  accepts: ['DraftRequest'],
  grounding_mode: 'input_only',
  payload: 'Document',
  derivations: { body: { how: 'template', recorded_in: null } },
  schemas: {
    DraftRequest: classSchema('DraftRequest', { document_kind: text, inventory, requirements: texts, revises: text }, [
      'document_kind',
    ]),
    Document: classSchema('Document', { document_kind: text, body: text, revises: text, grounded_on: groundedOn }, [
      'document_kind',
      'body',
      'grounded_on',
    ]),
  },

  run(ctx, /** @type {DraftRequest} */ { document_kind, inventory: items = [], requirements = [], revises }) {
    if (items.length === 0) {
      return ctx.abstained({
        statement: 'There is no inventory to draft from.',
        reason_code: 'insufficient_input',
        evidence: [ctx.input],
      });
    }
    const held = items.map(({ title, format }) => `- ${title}${format === undefined ? '' : ` (${format})`}`);
    const asked = requirements.map((requirement) => `- ${requirement}`);
    const body = ['Data', ...held, 'Requirements', ...(asked.length === 0 ? ['- none are known'] : asked)].join('\n');
    return ctx.succeeded({
      statement: `Drafted a ${document_kind} over ${items.length} of ${items.length} holdings.`,
      payload: {
        document_kind,
        body,
        ...(revises === undefined ? {} : { revises }),
        grounded_on: [ctx.cite(ctx.input)],
      },
    });
  },
});
