import type * as entry from '../testing/msw.js';
import { loader, NEEDS } from './peers.js';

const load = loader<typeof entry>(import.meta.url, '../testing/msw', NEEDS.msw);

export const fakeHandlers: typeof entry.fakeHandlers = (fake) => load().fakeHandlers(fake);
