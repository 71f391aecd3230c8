import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// Tests that need programs beside Node: redis-server, chromium. They fail without them, and `npm test` leaves them out.
const report = process.env['GROUNDING_HEAVY_REPORT'];

export default defineConfig({
  test: {
    ...base.test,
    include: ['test-heavy/**/*.test.ts'],
    // .ci/run counts by the report.
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
