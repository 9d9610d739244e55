import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * Gives the bundled copy of zod a configuration of its own. Zod keeps it on `globalThis`, shared by all copies in the
 * process: what a user sets with `z.config` would act on our schemas, and loading this package would add a global.
 */
export const privateZod: Plugin = {
  name: 'private-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, ({ path }) => ({
      contents: withPrivateConfig(readFileSync(path, 'utf8')),
    }));
  },
};

/** Lines stay where they are, for the source maps. */
function withPrivateConfig(text: string): string {
  const contents = text
    .replace('(_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});', '')
    .replace('export const globalConfig = globalThis.__zod_globalConfig', 'export const globalConfig = {}')
    .replaceAll('globalThis.__zod_globalConfig', 'globalConfig');
  if (!contents.includes('globalConfig = {}') || contents.includes('globalThis')) {
    throw new Error('This version of zod keeps its configuration in another way.');
  }
  return contents;
}
