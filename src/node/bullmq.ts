import type * as entry from '../bullmq/index.js';
import { loader, NEEDS } from './peers.js';

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';

const load = loader<typeof entry>(import.meta.url, '../bullmq/index', NEEDS.bullmq);

export const createBullMQInbox: typeof entry.createBullMQInbox = (options) =>
  load().createBullMQInbox(options);
