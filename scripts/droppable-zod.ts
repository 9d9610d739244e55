import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

const RANGES = /^export const NUMBER_FORMAT_RANGES = (\{[^;]*\});$/m;

/**
 * Lets bundlers drop a table of the bundled zod that most users' code does not need: they keep what reads a property of
 * `Number` as it loads.
 */
export const droppableZod: Plugin = {
  name: 'droppable-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]util\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!RANGES.test(text)) throw new Error('This version of zod keeps its ranges of numbers elsewhere.');
      return {
        contents: text.replace(RANGES, 'export const NUMBER_FORMAT_RANGES = /* @__PURE__ */ (() => ($1))();'),
      };
    });
  },
};
