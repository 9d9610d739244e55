import type { JobsOptions } from 'bullmq';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './inbox-options.js';

/**
 * Returns the known fields of a webhook, without the secret: they are stored. JSON leaves out what is undefined, and an object
 * that always has the same fields is made and written in a fraction of the time.
 */
export function jobData(webhook: StoredWebhook): StoredWebhook {
  const { version, key, type, payload, workspace } = webhook;
  const { deliveryId, receivedAt } = webhook;
  return {
    version,
    key,
    type,
    payload: withoutSecret(payload),
    workspace,
    deliveryId,
    receivedAt,
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
