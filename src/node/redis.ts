import { createRequire } from 'node:module';
import type * as entry from '../redis/index.js';
import { loader, NEEDS } from './peers.js';

const require = createRequire(import.meta.url);
const load = loader<typeof entry>(
  NEEDS.redis,
  import.meta.url,
  (): unknown => require('../redis/index.js'),
  (): unknown => require('../redis/index.cjs'),
);

export const createRedisDedupe: typeof entry.createRedisDedupe = (options) =>
  load().createRedisDedupe(options);
