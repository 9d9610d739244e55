import { createRequire } from 'node:module';
import type * as entry from '../bullmq/index.js';
import { loader, NEEDS } from './peers.js';

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';

const require = createRequire(import.meta.url);
const load = loader<typeof entry>(
  NEEDS.bullmq,
  import.meta.url,
  (): unknown => require('../bullmq/index.js'),
  (): unknown => require('../bullmq/index.cjs'),
);

export const createBullMQInbox: typeof entry.createBullMQInbox = (options) =>
  load().createBullMQInbox(options);
