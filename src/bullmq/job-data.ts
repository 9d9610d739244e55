import type { JobsOptions } from 'bullmq';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './inbox-options.js';

/** Numbers the events that are received in one millisecond, in the order in which they are stored. */
export class Sequence {
  #receivedAt = 0;
  #number = 0;

  /** Returns the number that an event has already, or else the next one; nothing for the first in a millisecond. */
  next({ sequence, receivedAt }: StoredWebhook): number | undefined {
    if (sequence !== undefined) return sequence;
    // One that is stored late, behind an event of a later millisecond, must not have the number of another.
    this.#number = receivedAt > this.#receivedAt ? 0 : this.#number + 1;
    this.#receivedAt = Math.max(receivedAt, this.#receivedAt);
    return this.#number === 0 ? undefined : this.#number;
  }
}

/**
 * Returns the known fields of a webhook, without the secret: they are stored. JSON leaves out what is undefined, and an object
 * that always has the same fields is made and written in a fraction of the time.
 */
export function jobData(webhook: StoredWebhook, sequence: number | undefined): StoredWebhook {
  const { version, key, type, payload, workspace, unnamedWorkspace } = webhook;
  const { envelope, deliveryId, receivedAt, traceContext } = webhook;
  return {
    version,
    key,
    type,
    payload: withoutSecret(payload),
    workspace,
    unnamedWorkspace,
    envelope: envelope && withoutSecret(envelope),
    deliveryId,
    receivedAt,
    sequence,
    traceContext,
  };
}

/** The receiver has removed the secret already, but `inbox.store` can be called by anyone. */
function withoutSecret(payload: StoredWebhook['payload']): StoredWebhook['payload'] {
  if (!Object.hasOwn(payload, 'workspaceSecret')) return payload;
  const { workspaceSecret, ...rest } = payload;
  return rest;
}

/**
 * Makes the key of the event the id of its job: while that job waits, runs or is a dead letter, no second one can be
 * added. The key is the id of BullMQ's deduplication too, which remembers it in a few bytes after the job is gone, for the
 * rest of the retention.
 */
export function jobOptions({ key, receivedAt }: StoredWebhook, settings: InboxSettings): JobsOptions {
  const { attempts, backoff, retention } = settings;
  return {
    jobId: key,
    deduplication: { id: key, ttl: Math.ceil(retention) },
    attempts,
    // BullMQ's type does not allow `undefined` for `jitter`; its code does.
    backoff: backoff as JobsOptions['backoff'] & {},
    timestamp: receivedAt,
    // The reason of a failure is kept; stack traces show paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}
