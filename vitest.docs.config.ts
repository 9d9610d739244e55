import { defineConfig } from 'vitest/config';

/** The tests that open the built API site in Chromium: `npm run test:docs` builds it. */
export default defineConfig({
  test: {
    include: ['test/site/*.test.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
