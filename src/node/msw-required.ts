import { createRequire } from 'node:module';
import type * as entry from '../testing/msw.js';
import { explain, NEEDS } from './peers.js';

const require = createRequire(import.meta.url);

export const fakeHandlers: typeof entry.fakeHandlers = (fake) => load().fakeHandlers(fake);

function load(): typeof entry {
  try {
    // The type of its source.
    return require('../testing/msw.cjs') as typeof entry;
  } catch (error) {
    throw explain(error, NEEDS.msw, import.meta.url);
  }
}
