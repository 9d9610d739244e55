import type * as entry from '../testing/msw.js';
import { explain, NEEDS } from './peers.js';

// Most versions of Jest import msw 3, an ES module, but cannot `require` it. Top-level `await` is for tests only:
// Node refuses to `require` a module whose imports contain it.
export const { fakeHandlers }: typeof entry = await import('../testing/msw.js').catch((error: unknown) => ({
  fakeHandlers() {
    throw explain(error, NEEDS.msw, import.meta.url);
  },
}));
