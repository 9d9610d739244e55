import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The tests that need a Redis: `npm run test:redis` starts one on a free port, and stops it. */
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    include: ['test/redis/**/*.test.ts'],
    globalSetup: 'test/redis/global-setup.ts',
    // The tests look at all keys of the one Redis.
    fileParallelism: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
