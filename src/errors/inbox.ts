import { WebhookError } from './webhook.js';

/**
 * Redis is fuller than the inbox's `highWater` allows, and the event was not stored: the rest is for the workers, which need
 * memory to handle what waits. The receiver has answered 500, and the service does not send the event again.
 */
export class InboxFullError extends WebhookError {
  static override readonly errorName = 'InboxFullError';
  declare readonly type: 'inbox_full_error';

  /** True: to store the event again can succeed. */
  override get retryable(): boolean {
    return true;
  }

  /** The bytes that Redis uses. */
  declare readonly used: number;
  /** The bytes that it may use: its `maxmemory`. */
  declare readonly maxmemory: number;

  constructor(options: { used: number; maxmemory: number; cause?: unknown }, highWater: number) {
    const percent = Math.floor((options.used / options.maxmemory) * 100);
    super(
      `The event was not stored: Redis uses ${percent} % of its maxmemory, and highWater is ${highWater * 100} %\n` +
        '  Let the workers catch up, raise maxmemory, or remove dead letters.',
      options,
    );
  }
}

/**
 * The event is on fewer replicas than the inbox's `replicas` asks for, so that a failover could lose it. The receiver has
 * answered 500. The event is in Redis, and may be handled all the same.
 */
export class InboxReplicasError extends WebhookError {
  static override readonly errorName = 'InboxReplicasError';
  declare readonly type: 'inbox_replicas_error';

  /** True: to store the event again can succeed. */
  override get retryable(): boolean {
    return true;
  }

  /** The number of replicas that have the event. */
  declare readonly reached: number;
  /** The number that was asked for. */
  declare readonly wanted: number;

  constructor(options: { reached: number; wanted: number; cause?: unknown }) {
    super(
      `The event reached ${options.reached} of ${options.wanted} replicas in time\n` +
        '  See whether the replicas are connected, and whether they keep up.',
      options,
    );
  }
}
