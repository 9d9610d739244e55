import { type Job, UnrecoverableError } from 'bullmq';
import { WebhookError, WebhookPayloadError } from '../errors/index.js';
import { redactText } from '../ground/redact.js';
import { refuseOption } from '../validation/option-checks.js';
import { workspaceOf } from '../webhooks/delivery.js';
import type { WebhookEventOf, WebhookEventType } from '../webhooks/events.js';
import type { WebhookHandler } from '../webhooks/handlers.js';
import { checkStored, type StoredWebhook } from '../webhooks/inbox.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import type { WebhookReceiverOptions } from '../webhooks/receiver-options.js';
import type { InboxRun } from './inbox-hooks.js';

/** Processes stored webhooks: a receiver, or anything with the same `process` method. */
export interface WebhookProcessor {
  /** Resolves when the event is handled; rejects when it is to be retried. */
  process(stored: StoredWebhook, options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * A handler for each event type that is of interest. The worker needs no secret then: an event in the inbox was
 * verified before it was stored. Events of other types are done without a handler, and each such type leaves
 * one line in the log at `warn`.
 */
export type WebhookHandlers = {
  readonly [Type in WebhookEventType]?: WebhookHandler<WebhookEventOf<Type>> | undefined;
};

/** Makes a processor of handlers. */
export function toProcessor(
  work: WebhookProcessor | WebhookHandlers,
  logging: Pick<WebhookReceiverOptions, 'logger' | 'logLevel'>,
): WebhookProcessor {
  if (typeof work !== 'object' || work === null) refuseOption('work', 'takes a receiver or handlers by type');
  if (isProcessor(work)) return work;
  const receiver = createWebhookReceiver(logging);
  for (const [type, handler] of Object.entries(work)) {
    // `on` refuses an unknown type and a handler that is no function; the type above ties each handler to its events.
    if (handler !== undefined) receiver.on(type as WebhookEventType, handler as WebhookHandler);
  }
  return receiver;
}

function isProcessor(work: WebhookProcessor | WebhookHandlers): work is WebhookProcessor {
  return typeof (work as Partial<WebhookProcessor>).process === 'function';
}

/** One run of the handlers for one event. */
export class Run {
  /** Resolved by the worker when the run has ended. */
  readonly ended = deferred<void>();
  readonly #returned = deferred<'returned'>();
  readonly #controller = new AbortController();
  #isLost = false;

  /** The event is no longer this run's: another run of it may begin, or has begun. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Tells the handlers that the event is given to another worker. The run lasts until they have settled. */
  lose(): void {
    this.#isLost = true;
    this.#abort('The event was given to another worker, because this one did not renew its lock in time.');
  }

  /** Tells the handlers that the worker closes, and ends {@link handle} without waiting for them. */
  giveBack(): void {
    this.#abort('The worker closes, and the event goes back to the queue.');
    this.#returned.resolve('returned');
  }

  /**
   * Runs the handlers. Rejects with an error for BullMQ: an `UnrecoverableError` if no retry can help, with a message that
   * may be stored. Its `cause` is the error that was thrown.
   */
  async handle(processor: WebhookProcessor, data: unknown): Promise<'handled' | 'returned'> {
    try {
      return await Promise.race([this.#process(processor, data), this.#returned.promise]);
    } catch (error) {
      const reason = reasonOf(error);
      if (!(error instanceof WebhookPayloadError)) throw new Error(reason, { cause: error });
      throw Object.assign(new UnrecoverableError(reason), { cause: error });
    }
  }

  async #process(processor: WebhookProcessor, data: unknown): Promise<'handled'> {
    await processor.process(checkStored(data), { signal: this.#controller.signal });
    return 'handled';
  }

  #abort(message: string): void {
    this.#controller.abort(new WebhookError(message));
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The longest reason that is stored, in characters. A handler may put anything into the message of its error. */
const MAX_REASON = 1_000;

/** Returns the text that a dead letter keeps: our message, then name and message of each error that handlers threw. */
function reasonOf(error: unknown): string {
  const cause = error instanceof WebhookError ? error.cause : undefined;
  const thrown: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause ?? []].flat();
  const shown = [error, ...thrown].map((one) => (one instanceof Error ? describe(one) : typeof one));
  return shown.join(' ').slice(0, MAX_REASON);
}

/** Marked fields inside the message are masked. */
function describe(error: Error): string {
  const text = redactText(error.message);
  return error instanceof WebhookError ? text : `${error.name}: ${text}`;
}

/** Returns what hooks are told of a run that BullMQ has recorded. */
export function toInboxRun(job: Job<StoredWebhook>): InboxRun {
  const { processedOn = Date.now(), finishedOn = Date.now() } = job;
  // The job of another application may hold nothing.
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
