import { type Job, type JobsOptions, UnrecoverableError } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import { onOneLine } from '../utils/printable.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { InboxSettings } from './options.js';

// A stored event as BullMQ sees it: a job, its options and its failures.

/** A job of the queue. Its data came from Redis, where another application may have written it. */
export type InboxJob = Job<StoredWebhook, Done>;

/** The end of a run that succeeded: `ignored` is a test event without a handler. */
export type Done = 'handled' | 'ignored';

/**
 * Makes the key of the event the id of its job: while that job waits, runs or is a dead letter, no second one can be added.
 *
 * The key is the id of BullMQ's deduplication too, which remembers it in a few bytes after the job is gone, for the rest of
 * the retention.
 */
export function jobOptions({ key, receivedAt }: StoredWebhook, settings: InboxSettings): JobsOptions {
  return {
    jobId: key,
    deduplication: { id: key, ttl: Math.ceil(settings.retention) },
    attempts: settings.attempts,
    backoff: settings.backoff,
    timestamp: receivedAt,
    // Stack traces show paths of the worker, and grow with every attempt.
    stackTraceLimit: 0,
  };
}

/** The longest reason that is stored, in characters: a handler may put anything into the message of its error. */
const MAX_REASON = 1_000;

/** The error for BullMQ, with a message that may be stored. What was thrown is its `cause`. */
export function toFailure(error: unknown): Error {
  const thrown = thrownBy(error);
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
  const own = error instanceof WebhookError && thrown !== error ? `${error.message} ` : '';
  const reason = onOneLine(`${own}${errors.map(describe).join(' ')}`).slice(0, MAX_REASON);
  // No retry helps an invalid event.
  const isFinal = error instanceof WebhookError && !error.retryable;
  return Object.assign(isFinal ? new UnrecoverableError(reason) : new Error(reason), { cause: error });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error instanceof WebhookError ? error.message : `${error.name}: ${error.message}`;
}

/** The error that a handler threw, or else the error itself. Several are one `AggregateError`. */
export function thrownBy(error: unknown): unknown {
  return error instanceof WebhookError ? (error.cause ?? error) : error;
}

/** The reason that BullMQ stores for an event whose lock was lost too often. */
const STALLED = 'job stalled more than allowable limit';
const UNHANDLED = 'No worker had a handler for its type within';

/** Whether an event became a dead letter because its runs never came to an end. */
export function isStalled({ failedReason }: Job): boolean {
  return failedReason === STALLED;
}

/** The failure of an event that no worker could handle. */
export function unhandledFailure(timeout: number): Error {
  const cause = new WebhookError(`${UNHANDLED} ${timeout} ms (unhandledTimeout)`);
  return Object.assign(new UnrecoverableError(cause.message), { cause });
}

/** Why an event became a dead letter. */
export function reasonOf(job: Job): string {
  if (!isStalled(job)) return job.failedReason;
  return `Stalled ${job.stalledCounter} times: the worker crashed, or its event loop was blocked for longer than lockDuration`;
}

/** The number of runs of an event, those included that ended with their worker or without its lock. */
export function runsOf(job: Job): number {
  // A job that has not failed has none, whatever its type says.
  const reason = job.failedReason as string | undefined;
  // BullMQ counts the end of such an event as an attempt, and no handler ran.
  const endedWithoutRun = isStalled(job) || reason?.startsWith(UNHANDLED) === true;
  return job.attemptsMade + job.stalledCounter - (endedWithoutRun ? 1 : 0);
}
