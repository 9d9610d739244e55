import { type Job, type JobsOptions, UnrecoverableError } from 'bullmq';
import { isFinal, isUnhandled, reasonFor, stalledError, thrownBy } from '../inbox/failure.js';
import type { InboxRun } from '../inbox/hooks.js';
import type { Done } from '../inbox/run.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { BullMQSettings } from './options.js';

// A stored event as BullMQ sees it: a job, its options and its failures.

/** A job of the queue. Its data came from Redis, where another application may have written it. */
export type InboxJob = Job<StoredWebhook, Done>;

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
    attempts: settings.attempts,
    backoff: settings.backoff,
    timestamp: receivedAt,
    // Stack traces contain paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

/** Makes the error for BullMQ, whose message is stored. What was thrown is its `cause`. */
export function toJobError(error: unknown): Error {
  return isFinal(error) ? toFinalError(error) : withCause(new Error(reasonFor(error)), error);
}

/** Makes the error after which BullMQ does not retry. */
export function toFinalError(error: unknown): Error {
  return withCause(new UnrecoverableError(reasonFor(error)), error);
}

/** `UnrecoverableError` takes no `cause`. */
function withCause(error: Error, cause: unknown): Error {
  error.cause = cause;
  return error;
}

/**
 * Whether an event became a dead letter because its lock was lost too often.
 *
 * BullMQ 6.7.0 stores this text as the reason (`commands/moveStalledJobsToWait-9.lua:97`), and no code.
 */
function isStalled({ failedReason }: Job): boolean {
  return failedReason === 'job stalled more than allowable limit';
}

/** Returns why an event became a dead letter. */
export function reasonOf(job: Job): string {
  return isStalled(job) ? stalledError(job.stalledCounter).message : job.failedReason;
}

/** Returns what the handlers threw, from the error of a failed job. */
export function errorOf(job: Job, error: Error): unknown {
  return isStalled(job) ? stalledError(job.stalledCounter) : thrownBy(error.cause ?? error);
}

/** Counts the runs of an event, including those that lost their worker or their lock. */
export function runsOf(job: Job): number {
  // Undefined before the first failure, although its type is `string`.
  const reason = job.failedReason as string | undefined;
  // BullMQ counts the end of such an event as an attempt, although no handler ran.
  const endedWithoutRun = isStalled(job) || (reason !== undefined && isUnhandled(reason));
  return job.attemptsMade + job.stalledCounter - (endedWithoutRun ? 1 : 0);
}

/** Describes the latest run of an event. */
export function toRun(job: InboxJob): InboxRun {
  const { processedOn = Date.now(), finishedOn = Date.now() } = job;
  // The job of another application may hold nothing.
  const data = job.data as InboxJob['data'] | null;
  const workspace = typeof data?.workspace === 'string' ? { workspace: data.workspace } : {};
  return {
    key: job.id ?? '',
    type: job.name,
    ...workspace,
    attempt: runsOf(job),
    waitedMs: Math.max(processedOn - job.timestamp, 0),
    durationMs: Math.max(finishedOn - processedOn, 0),
  };
}
