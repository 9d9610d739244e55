import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests import the package by its name. Most specific first: the first match wins.
    alias: [
      { find: 'agent-platform-sdk/testing/msw', replacement: source('testing/msw.ts') },
      { find: 'agent-platform-sdk/testing', replacement: source('testing/index.ts') },
      { find: 'agent-platform-sdk/bullmq', replacement: source('bullmq/index.ts') },
      { find: 'agent-platform-sdk/redis', replacement: source('redis/index.ts') },
      { find: 'agent-platform-sdk', replacement: source('index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // These need the built package, a Redis or minutes, and have commands of their own, which the global set-up names.
    exclude: [
      'test/package/**',
      'test/redis/**',
      'test/contributing/**',
      'test/site/**',
      'test/reliability/**',
    ],
    // A machine that is busy is no failure: what hangs ends here, and nothing is judged by the clock.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: 'test/support/skipped-here.ts',
    setupFiles: 'test/support/no-secret-shown.ts',
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
