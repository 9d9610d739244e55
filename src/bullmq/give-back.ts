import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { runsOf, unhandledReason } from './job-record.js';

// The ways in which a worker gives an event back to the queue. Each rejects, so that BullMQ records no end of the run.

/** Puts an event that was not begun back to the front of the queue. */
export async function giveBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

/** Puts an event that was not begun back into the queue, to be taken again after some milliseconds. */
export async function giveBackFor(ms: number, job: Job, token: string | undefined): Promise<never> {
  await job.moveToDelayed(Date.now() + ms, token);
  throw new DelayedError();
}

/** Has BullMQ put the event of a run that fails now at the front of the queue, without a backoff. The attempt counts. */
export function retryFirst({ opts }: Job): void {
  opts.lifo = true;
  delete opts.backoff;
}

/** The search for a worker that has a handler for an event, kept as the progress of its job. */
interface Search {
  /** The time at which a worker first found that it has none. */
  readonly unhandledSince: number;
  /** The number of runs until then. If there are more now, a worker had a handler. */
  readonly runs: number;
}

/** Milliseconds until the next worker looks at an event without a handler: a quarter of the time that has passed. */
const LOOKING = { first: 1_000, last: 300_000 };

/** Finds out for how many milliseconds an event has been without a handler. Rejects once that is too long. */
export async function countUnhandled(job: Job<StoredWebhook>, timeout: number): Promise<number> {
  const { unhandledSince, runs } = job.progress as Partial<Search>;
  const now = Date.now();
  if (unhandledSince === undefined || runs !== runsOf(job)) {
    await job.updateProgress({ unhandledSince: now, runs: runsOf(job) } satisfies Search);
    return 0;
  }
  if (now - unhandledSince >= timeout) {
    const cause = new WebhookError(unhandledReason(timeout));
    throw Object.assign(new UnrecoverableError(cause.message), { cause });
  }
  return now - unhandledSince;
}

/** Milliseconds after which an event without a handler is looked at again. */
export function nextLook(unhandledMs: number, timeout: number): number {
  const wait = Math.min(Math.max(unhandledMs / 4, LOOKING.first), LOOKING.last);
  return Math.min(wait, timeout - unhandledMs);
}
