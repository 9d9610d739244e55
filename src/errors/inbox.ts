import { WebhookError } from './webhook.js';

/**
 * The inbox had no room within `storeTimeout`, so the event was not stored.
 *
 * An inbox leaves some room to its workers, which need it to handle what waits: see `highWater` and `minFree`. The
 * receiver has responded with 500, and the service has no automatic retry (6.4).
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createSqliteInbox, InboxFullError } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError((error) => {
 *   if (error instanceof InboxFullError) console.error('make room', error.message);
 * });
 * ```
 */
export class InboxFullError extends WebhookError {
  static override readonly errorName = 'InboxFullError';
  declare readonly type: 'inbox_full_error';

  /**
   * @param reason - What is full, as a clause.
   * @param advice - How to make room, as a sentence.
   */
  constructor(reason: string, advice: string) {
    super(`The event was not stored: ${reason}\n  ${advice}`);
  }
}

/**
 * The file of the inbox, or one beside it, was deleted or replaced. The event was not stored.
 *
 * The receiver has responded with 500. The message says where a copy of the file is, and what to do.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createSqliteInbox, FileGoneError } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError((error) => {
 *   if (error instanceof FileGoneError) console.error(error.message);
 * });
 * ```
 */
export class FileGoneError extends WebhookError {
  static override readonly errorName = 'FileGoneError';
  declare readonly type: 'file_gone_error';
}

/**
 * The event is on fewer replicas than `replicas` requires: a failover could lose it.
 *
 * The receiver has responded with 500. The event is in Redis, and may be handled all the same.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createBullMQInbox, InboxReplicasError } from 'agent-platform-sdk/bullmq';
 *
 * const connection = process.env.REDIS_URL ?? 'redis://localhost:6379';
 * const inbox = createBullMQInbox({ connection, replicas: 1 });
 * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError((error) => {
 *   if (error instanceof InboxReplicasError) console.error('replicas', error.reached, error.wanted);
 * });
 * ```
 */
export class InboxReplicasError extends WebhookError {
  static override readonly errorName = 'InboxReplicasError';
  declare readonly type: 'inbox_replicas_error';

  /** The number of replicas that have the event. */
  readonly reached: number;
  /** The number that must have it. */
  readonly wanted: number;

  constructor(options: { reached: number; wanted: number; cause?: unknown }) {
    const { reached, wanted, cause } = options;
    super(
      `The event reached ${reached} of ${wanted} replicas in time\n` +
        '  Check that the replicas are connected and keep up.',
      { cause },
    );
    this.reached = reached;
    this.wanted = wanted;
  }
}
