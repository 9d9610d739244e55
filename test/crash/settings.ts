import { type BullMQInbox, createBullMQInbox, type InboxHooks } from 'agent-platform-sdk/bullmq';

/** Settings of one process of the campaign. */
export interface ProcessSettings {
  readonly redisPort: number;
  readonly secret: string;
  /** The port of a receiver; a worker has none. */
  readonly port?: number;
  /** The directory in which a worker writes its journal. */
  readonly journals: string;
}

export function openInbox(port: number, hooks: InboxHooks = {}): BullMQInbox {
  return createBullMQInbox({
    connection: { host: '127.0.0.1', port, retryStrategy: () => 100 },
    attempts: 20,
    backoff: { type: 'fixed', delay: 100 },
    storeTimeout: 5_000,
    hooks,
    logLevel: 'off',
  });
}
