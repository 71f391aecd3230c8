// @ts-check
// Drafts an announcement. Its action class, `publish`, needs a person's approval under profiles/default.yaml, so that the
// gate refers every request to a data steward before this code runs.
import { defineAgent } from 'grounding-gate/agent';
import { classSchema, groundedOn, text } from './class-schema.js';

/** @typedef {{ title: string, audience?: string, release_date?: string }} Release */

export default defineAgent({
  agent_id: 'example.announce',
  version: '0.1.0',
  description: 'Drafts the announcement of a dataset from its title, audience and release date.',
  action_class: 'publish',
  accepts: ['Release'],
  grounding_mode: 'none',
  payload: 'Announcement',
  derivations: { announcement_text: { how: 'template', recorded_in: null } },
  schemas: {
    Release: classSchema('Release', { title: text, audience: text, release_date: text }, ['title']),
    Announcement: classSchema('Announcement', { announcement_text: text, grounded_on: groundedOn }, [
      'announcement_text',
      'grounded_on',
    ]),
  },

  run(ctx, /** @type {Release} */ { title, audience, release_date }) {
    if (title.trim() === '') {
      return ctx.abstained({ statement: 'The release has no title.', reason_code: 'insufficient_input' });
    }
    const readers = audience === undefined ? '' : ` for ${audience}`;
    const date = release_date === undefined ? '' : ` It is released on ${release_date}.`;
    return ctx.succeeded({
      statement: 'Drafted an announcement.',
      payload: {
        announcement_text: `The dataset “${title}” is now available${readers}.${date}`,
        grounded_on: [ctx.cite(ctx.input)],
      },
    });
  },
});
