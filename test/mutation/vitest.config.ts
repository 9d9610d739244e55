import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { AREAS } from './areas.js';

/** The tests of one area, `MUTATION_AREA`, without those that compile programs or draw thousands of cases. */
export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    include: [...(AREAS[process.env.MUTATION_AREA ?? '']?.tests ?? [])],
    exclude: ['test/webhooks/{examples,property}.test.ts'],
    // One start of the modules for all files: a mutant costs a second instead of ten.
    isolate: false,
    // Above what the slowest test takes in code that counts its mutants. Not far above: one mutant in four makes a test wait for ever.
    testTimeout: 8_000,
  },
});
