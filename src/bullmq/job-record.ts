import type { Job } from 'bullmq';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { workspaceOf } from '../webhooks/payload.js';
import type { InboxEvent, InboxRun } from './inbox-hooks.js';
import { safeReason } from './run.js';

/** The reason that BullMQ stores for an event whose lock was lost too often. */
const STALLED = 'job stalled more than allowable limit';
const UNHANDLED = 'No worker had a handler for its type within';

/** Tells that an event became a dead letter because its runs never came to an end. */
export function isStalled({ failedReason }: Job): boolean {
  return failedReason === STALLED;
}

/** The reason of an event that no worker could handle. */
export function unhandledReason(timeout: number): string {
  return `${UNHANDLED} ${timeout} ms (unhandledTimeout)`;
}

/**
 * Counts the runs of an event: those that failed or succeeded, those that were given back by a worker that closed, and those
 * that ended with their worker, or without its lock.
 */
export function runsOf(job: Job): number {
  const { attemptsMade, stalledCounter } = job;
  // A job that has not failed has none, whatever its type says.
  const failedReason = job.failedReason as string | undefined;
  // BullMQ counts the end of such an event as an attempt, and no handler ran.
  const endedWithoutRun = isStalled(job) || failedReason?.startsWith(UNHANDLED) === true;
  return attemptsMade + stalledCounter - (endedWithoutRun ? 1 : 0);
}

/** Counts how often an event was given back to the queue without a run, until this start of it. */
export function giveBacksOf(job: Job): number {
  return Math.max(job.attemptsStarted - runsOf(job) - 1, 0);
}

/** Says why an event became a dead letter. Whatever is stored there, marked fields are masked. */
export function reasonOf(job: Job): string {
  return isStalled(job) ? stalledReason(job) : safeReason(job.failedReason);
}

/** Says what has happened to an event that stalled: that is not one failure, but none that could be told. */
export function stalledReason(job: Job): string {
  return `None of its last ${job.stalledCounter} runs came to an end: the worker died, or its event loop was blocked for longer than the lock of the event lasts (lockDuration)`;
}

/** Returns what hooks are told of an event. */
export function toInboxEvent(job: Job<StoredWebhook>): InboxEvent {
  // The job of another application may hold nothing.
  const data: StoredWebhook | null = job.data;
  return { key: job.id ?? '', type: job.name, ...workspaceOf(data ?? {}) };
}

/** Returns what hooks are told of a run that BullMQ has recorded. */
export function toInboxRun(job: Job<StoredWebhook>): InboxRun {
  const { processedOn = Date.now(), finishedOn = Date.now() } = job;
  const run = {
    attempt: runsOf(job),
    waitedMs: Math.max(processedOn - job.timestamp, 0),
    durationMs: Math.max(finishedOn - processedOn, 0),
  };
  return Object.assign(run, toInboxEvent(job));
}
