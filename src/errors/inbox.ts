import { WebhookError } from './webhook.js';

/**
 * Redis was above the inbox's `highWater` for all of `storeTimeout`, and the event was not stored.
 *
 * The room above the mark is for the workers, which need memory to handle what waits. The receiver has
 * responded with 500, and the service does not send the event again.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createBullMQInbox, InboxFullError } from 'agent-platform-sdk/bullmq';
 *
 * const inbox = createBullMQInbox({ connection: process.env.REDIS_URL ?? 'redis://localhost:6379' });
 * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox }).onError((error) => {
 *   if (error instanceof InboxFullError) console.error('start more workers', error.used, error.maxmemory);
 * });
 * ```
 */
export class InboxFullError extends WebhookError {
  static override readonly errorName = 'InboxFullError';
  declare readonly type: 'inbox_full_error';

  /** The number of bytes that Redis used. */
  readonly used: number;
  /** The number of bytes that it may use: its `maxmemory`. */
  readonly maxmemory: number;

  constructor(options: { used: number; maxmemory: number; cause?: unknown }, highWater: number) {
    const { used, maxmemory, cause } = options;
    super(
      `The event was not stored: Redis uses ${percent(used / maxmemory)} of its maxmemory, and ` +
        `highWater is ${percent(highWater)}\n` +
        '  Start more workers, raise maxmemory, or remove dead letters.',
      { cause },
    );
    this.used = used;
    this.maxmemory = maxmemory;
  }
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;

/**
 * The event is on fewer replicas than the inbox's `replicas` requires, so that a failover could lose it.
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
