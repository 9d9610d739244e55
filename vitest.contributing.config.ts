import { defineConfig } from 'vitest/config';

/** Follows the steps of CONTRIBUTING.md in a copy of the project: `npm run test:contributing`. */
export default defineConfig({
  test: {
    include: ['test/contributing/*.test.ts'],
    // A whole compilation and many tests, much slower where others run beside them.
    testTimeout: 300_000,
  },
});
