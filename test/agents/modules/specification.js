// @ts-check

/** @param {string} name @param {boolean} payload */
const schemaOf = (name, payload) => ({
  type: 'object',
  required: payload ? ['schema_class', 'grounded_on'] : ['schema_class'],
  properties: { schema_class: { type: 'string', enum: [name] } },
});

/** What every agent of these tests declares, so that a module shows only how it behaves. */
export const declared = {
  agent_id: 'test.subject',
  version: '1.2.3',
  description: 'An agent of the tests.',
  action_class: 'test',
  accepts: ['Question'],
  grounding_mode: /** @type {const} */ ('retrieval'),
  payload: 'Answer',
  schemas: { Question: schemaOf('Question', false), Answer: schemaOf('Answer', true) },
};
