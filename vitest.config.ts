import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests import the package by its name. Most specific first: the first match wins.
    alias: [
      { find: 'agent-platform-sdk/testing/msw', replacement: source('testing/msw.ts') },
      { find: 'agent-platform-sdk/testing', replacement: source('testing/index.ts') },
      { find: 'agent-platform-sdk', replacement: source('index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // These need the built package: `npm run test:package`.
    exclude: ['test/package/**'],
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
