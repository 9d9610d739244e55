import { defineConfig } from 'vitest/config';

/** The tests of the built package. No alias here: consumer projects resolve it from a tarball. */
export default defineConfig({
  test: {
    include: ['test/package/*.test.ts'],
    globalSetup: 'test/package/global-setup.ts',
    // A compiler needs some seconds, and much longer where others run beside it.
    testTimeout: 180_000,
    maxConcurrency: 2,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
