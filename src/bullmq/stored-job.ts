import type { Job, JobsOptions } from 'bullmq';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { workspaceOf } from '../webhooks/reading.js';
import type { InboxRun } from './inbox-hooks.js';
import type { InboxSettings } from './inbox-options.js';

/** What of a webhook is stored: its known fields, and never the secret, whoever has called. */
export function jobData(webhook: StoredWebhook): StoredWebhook {
  const { key, type, payload, deliveryId, receivedAt } = webhook;
  return { key, type, payload: withoutSecret(payload), ...workspaceOf(webhook), deliveryId, receivedAt };
}

function withoutSecret(payload: StoredWebhook['payload']): StoredWebhook['payload'] {
  if (!Object.hasOwn(payload, 'workspaceSecret')) return payload;
  const { workspaceSecret, ...rest } = payload;
  return rest;
}

/**
 * The key is the id of the job: no second one can exist while the first waits, runs or is a dead letter. It is the id of
 * BullMQ's deduplication too, which remembers it for the rest of the window in a few bytes, when the job is gone.
 */
export function jobOptions({ key, receivedAt }: StoredWebhook, settings: InboxSettings): JobsOptions {
  const { attempts, backoff, retention } = settings;
  return {
    jobId: key,
    deduplication: { id: key, ttl: Math.ceil(retention) },
    attempts,
    // BullMQ's type does not know `undefined` in `jitter`, and its code ignores it.
    backoff: backoff as JobsOptions['backoff'] & {},
    timestamp: receivedAt,
    // The reason is kept; traces hold paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

/** What a run of a job was like, once it has ended. */
export function describeJob(job: Job<StoredWebhook>): InboxRun {
  const { processedOn = Date.now(), finishedOn = Date.now() } = job;
  // Someone else's job may hold nothing.
  const data: StoredWebhook | null = job.data;
  return {
    key: job.id ?? '',
    type: job.name,
    ...workspaceOf(data ?? {}),
    attempt: Math.max(job.attemptsMade, 1),
    waitedMs: Math.max(processedOn - job.timestamp, 0),
    durationMs: Math.max(finishedOn - processedOn, 0),
  };
}
