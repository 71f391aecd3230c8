import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

// Tests that need programs beside Node: redis-server. They fail without them, and `npm test` leaves them out.
export default defineConfig({ test: { ...base.test, include: ['test-heavy/**/*.test.ts'] } });
