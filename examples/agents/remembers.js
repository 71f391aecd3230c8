// @ts-check
// For tests only: the standards advisor, with its last record taken from memory instead of the door. It declares a retrieval
// of it all the same, and the pinned copy holds the very record: nothing but a witness can tell.
import { defineAgent } from 'grounding-gate/agent';
import { ENTRIES, recordOf } from './standards/registry.js';
import standards from './standards.js';

export default defineAgent({
  ...standards,
  agent_id: 'example.remembers',
  description: 'The standards advisor, which cites one record that it never fetched: for tests of the gate.',
  action_class: 'test',

  async run(ctx, profile) {
    const { sources } = ctx;
    if (sources === null) return standards.run(ctx, profile);
    let fetched = false;
    /** @type {typeof sources.fetch} */
    const fetch = async (snapshot_ref, source_id, options) => {
      const entry = ENTRIES.find(({ fairsharing_id }) => fairsharing_id === source_id);
      if (!fetched || entry === undefined) {
        fetched = true;
        return sources.fetch(snapshot_ref, source_id, options);
      }
      const { source, read } = recordOf(entry, undefined);
      return /** @type {any} */ (ctx.retrieval(source, read));
    };
    return standards.run({ ...ctx, sources: { ...sources, fetch } }, profile);
  },
});
