import { DelayedError, type Job, type JobsOptions, UnrecoverableError, WaitingError } from 'bullmq';
import type { Ending, TakenEvent } from '../inbox/engine.js';
import { stalledError } from '../inbox/failure.js';
import { isObject } from '../utils/json.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { BullMQSettings } from './options.js';

// A stored event as BullMQ sees it: a job, its options, and the end of its processor.

/** A job of the queue. Its data came from Redis, where another application may have written it. */
export type InboxJob = Job<StoredWebhook, string>;

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
    // For dashboards, and if the end of a run cannot be recorded: the worker decides, see `settle`.
    attempts: settings.attempts,
    backoff: settings.backoff,
    timestamp: receivedAt,
    // Stack traces contain paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

/**
 * Tells BullMQ how the run of a job has ended: what its processor returns or throws makes BullMQ record it.
 *
 * | ending | the processor | BullMQ |
 * |---|---|---|
 * | done | returns | deletes the job |
 * | retry | throws an error, its options being those of one retry | delays the job |
 * | dead | throws an `UnrecoverableError` | keeps the job as failed |
 * | given back | moves the job to the front, and throws a `WaitingError` | records nothing |
 * | lost | throws a `WaitingError` | records nothing |
 *
 * An event that has to wait before it runs never comes to an ending: see {@link giveBack}.
 */
export async function settle(job: InboxJob, token: string | undefined, ending: Ending): Promise<string> {
  switch (ending.kind) {
    case 'done':
      return ending.kind;
    case 'retry':
      // The stored options are the receiver's. BullMQ 6.7.0 decides by those in memory (`classes/job.js:445`).
      job.opts.attempts = Number.MAX_SAFE_INTEGER;
      job.opts.backoff = { type: 'fixed', delay: ending.delay };
      throw new Error(ending.reason);
    case 'dead':
      throw new UnrecoverableError(ending.reason);
    case 'given back':
      await job.moveToWait(token);
      throw new WaitingError();
    case 'lost':
      throw new WaitingError();
  }
}

/** Gives a job back, at no cost of an attempt: it is taken again after a delay, in ms. Throws what BullMQ needs. */
export async function giveBack(job: InboxJob, token: string | undefined, delay: number): Promise<never> {
  await job.moveToDelayed(Date.now() + delay, token);
  throw new DelayedError();
}

/** Whether an inbox has stored a job. Others may add jobs to the queue, which run, and become dead letters. */
export function isOurs({ name, data }: Job): boolean {
  return isObject(data) && data.type === name;
}

/** Describes a job that was taken. */
export function toTaken(job: InboxJob): TakenEvent {
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
