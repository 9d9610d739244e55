import { type BullMQInbox, createBullMQInbox, type InboxHooks } from 'agent-platform-sdk/bullmq';

/** What every process of the campaign is told. */
export interface ProcessSettings {
  readonly redisPort: number;
  readonly secret: string;
  /** Where a receiver listens. */
  readonly port: number;
  /** Where a worker writes its journal. */
  readonly journals: string;
}

/** How long a dead worker's event waits for another, in milliseconds. */
export const LOCK_DURATION = 2_000;

export function readSettings(): ProcessSettings {
  // Written by the campaign, which starts this process.
  return JSON.parse(process.argv[2] ?? '{}') as ProcessSettings;
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
