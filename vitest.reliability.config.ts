import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The tests of `npm run test:reliability`, which sets the seed and the form of the run. */
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    include: ['test/reliability/**/*.test.ts'],
    globalSetup: 'test/reliability/support/announce.ts',
    maxWorkers: 3,
    testTimeout: process.env.RELIABILITY_LONG === '1' ? 900_000 : 120_000,
    hookTimeout: 60_000,
  },
});
