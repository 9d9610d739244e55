import type * as entry from '../redis/index.js';
import { loader, NEEDS } from './peers.js';

const load = loader<typeof entry>(import.meta.url, '../redis/index', NEEDS.redis);

export const createRedisDedupe: typeof entry.createRedisDedupe = (options) =>
  load().createRedisDedupe(options);
