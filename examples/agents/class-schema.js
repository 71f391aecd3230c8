// @ts-check

/**
 * The JSON Schema of a class: an object of this very name with these members and no others.
 *
 * @param {string} name
 * @param {Record<string, object>} properties
 * @param {readonly string[]} [required]
 */
export function classSchema(name, properties, required = []) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: name,
    type: 'object',
    additionalProperties: false,
    required: ['schema_class', ...required],
    properties: { schema_class: { type: 'string', enum: [name] }, ...properties },
  };
}

export const text = { type: 'string' };
export const texts = { type: 'array', items: text };
export const groundedOn = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['source_id', 'content_hash'],
    properties: { source_id: text, content_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
  },
};
