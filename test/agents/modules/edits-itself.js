// @ts-check
// Declares another version each time that it is loaded.
import { defineAgent } from 'grounding-gate/agent';
import { declared } from './specification.js';

export default defineAgent({
  ...declared,
  agent_id: 'test.changes',
  version: `1.0.${process.pid}`,
  run: () => process.exit(0),
});
