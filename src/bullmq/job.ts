import type { Job, JobsOptions } from 'bullmq';
import type { InboxEvent } from '../inbox/engine.js';
import { stalledError } from '../inbox/failure.js';
import { isObject } from '../utils/json.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { BullMQSettings } from './options.js';

// A stored event as BullMQ sees it: a job, and its options.

/** A job of the queue. Its data came from Redis, where another application may have written it. */
export interface InboxJob extends Job<StoredWebhook, string> {
  /**
   * Reports the run once its end is recorded: BullMQ's events carry the job.
   *
   * A `WeakMap` of jobs costs V8 (Node 24) a tenth of a worker's time, for the collection of its garbage.
   */
  report?: () => void;
}

/**
 * Makes the options of a job, whose id is the key of the event.
 *
 * While that job waits, runs or is a dead letter, no second one can be added. BullMQ's deduplication has the
 * same id, and remembers it in a few bytes after the job is gone, for the rest of the retention.
 */
export function jobOptions({ key, receivedAt }: StoredWebhook, settings: BullMQSettings): JobsOptions {
  return {
    jobId: key,
    deduplication: { id: key, ttl: Math.ceil(settings.retention) },
    // For dashboards, and for what BullMQ makes a failure: the worker decides, with the options of its inbox.
    attempts: settings.attempts,
    backoff: settings.backoff,
    timestamp: receivedAt,
    // Stack traces contain paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

/** Whether an inbox has stored a job. Others may add jobs to the queue, which run, and become dead letters. */
export function isOurs({ name, data }: Job): boolean {
  return isObject(data) && data.type === name;
}

/** Describes a job that was taken. */
export function toEvent(job: InboxJob): InboxEvent {
  return {
    key: job.id ?? '',
    type: job.name,
    data: job.data,
    receivedAt: job.timestamp,
    failures: job.attemptsMade - (isStalled(job) ? 1 : 0),
    stalls: job.stalledCounter,
  };
}

/**
 * Whether an event became a dead letter because its lock was lost too often. BullMQ counts its end as an attempt,
 * although no handler ran.
 *
 * BullMQ 6.7.0 stores this text as the reason (`commands/moveStalledJobsToWait-9.lua:97`), and no code.
 */
export function isStalled({ failedReason }: Job): boolean {
  return failedReason === 'job stalled more than allowable limit';
}

/** Returns why an event became a dead letter. */
export function reasonOf(job: Job): string {
  return isStalled(job) ? stalledError(job.stalledCounter).message : job.failedReason;
}
