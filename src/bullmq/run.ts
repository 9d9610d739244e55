import { UnrecoverableError } from 'bullmq';
import { WebhookError } from '../errors/index.js';
import { MASK } from '../ground/echoes.js';
import { printable } from '../ground/printable.js';
import { redactText } from '../ground/redact.js';
import { refuseOption } from '../validation/option-checks.js';
import type { WebhookEventOf, WebhookEventType } from '../webhooks/events.js';
import { createWebhookHandlers, type WebhookHandler } from '../webhooks/handlers.js';
import { checkStored, type StoredWebhook } from '../webhooks/inbox.js';
import type { WebhookReceiverOptions } from '../webhooks/options.js';

/** Processes stored webhooks: a receiver, or anything with the same `process` method. */
export interface WebhookProcessor {
  /** Resolves when the event is handled; rejects when it is to be retried. */
  process(stored: StoredWebhook, options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Tells whether events of a type have a handler here. The others are given back to the queue, for other workers. Without
   * this method, all events are processed.
   */
  handles?(type: string): boolean;
}

/**
 * A handler for each event type that is of interest. The worker needs no secret then: an event in the inbox was
 * verified before it was stored. Events of other types are given back to the queue, and become dead letters where no
 * other worker has a handler either: see `unhandledTimeout`.
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
  const receiver = createWebhookHandlers(logging);
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
  readonly ended = deferred();
  #reject: (error: Error) => void = () => undefined;
  /** Made when a handler looks at the signal: most never do. */
  #controller: AbortController | undefined;
  #reason: Error | undefined;
  #isLost = false;
  #isGivenBack = false;

  /** The event is no longer this run's: another run of it may begin, or has begun. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The worker closes, and the handlers had not settled. */
  get isGivenBack(): boolean {
    return this.#isGivenBack;
  }

  /** Aborted when the event is no longer this run's, or its time is over. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Tells the handlers that the event is given to another worker. The run lasts until they have settled. */
  lose(): void {
    this.#isLost = true;
    const reason = 'The event was given to another worker, because this one did not renew its lock in time.';
    this.#abort(new WebhookError(reason));
  }

  /** Tells the handlers that the worker closes, and ends {@link handle} without waiting for them. */
  giveBack(): void {
    this.#isGivenBack = true;
    this.#stop('The worker closed before the handlers had settled');
  }

  /**
   * Runs the handlers, for so many milliseconds at most. Rejects with an error for BullMQ: an `UnrecoverableError` if no
   * retry can help, with a message that may be stored. Its `cause` is the error that was thrown.
   */
  async handle(processor: WebhookProcessor, stored: StoredWebhook, timeout: number): Promise<void> {
    const overdue = () => this.#stop(`The handlers had not settled within ${timeout} ms (handlerTimeout)`);
    const timer = setTimeout(overdue, timeout);
    try {
      await this.#unlessStopped(processor.process(stored, { signal: this.signal }));
    } catch (error) {
      throw toFailure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** As the handlers end, or as the run is stopped before. */
  #unlessStopped(handling: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      handling.then(resolve, reject);
    });
  }

  #stop(reason: string): void {
    const error = new WebhookError(reason);
    this.#abort(error);
    this.#reject(error);
  }

  #abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Reads a job. Rejects one that another application put into this queue. */
export function readStored(data: unknown): StoredWebhook {
  try {
    return checkStored(data);
  } catch (error) {
    throw toFailure(error);
  }
}

/** Makes the error for BullMQ of one that was thrown: its message may be stored. */
export function toFailure(error: unknown): Error {
  const reason = failureText(error);
  const isFinal = error instanceof WebhookError && !error.retryable;
  if (!isFinal) return new Error(reason, { cause: error });
  return Object.assign(new UnrecoverableError(reason), { cause: error });
}

/** The longest reason that is stored, in characters. A handler may put anything into the message of its error. */
const MAX_REASON = 1_000;

/** Returns the text that a dead letter keeps: our message, then name and message of each error that handlers threw. */
function failureText(error: unknown): string {
  const cause = error instanceof WebhookError ? error.cause : undefined;
  const thrown: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause ?? []].flat();
  const shown = [error, ...thrown].map((one) => (one instanceof Error ? describe(one) : typeof one));
  return shown.join(' ').slice(0, MAX_REASON);
}

function describe(error: Error): string {
  return printable(
    safeReason(error instanceof WebhookError ? error.message : `${error.name}: ${error.message}`),
  );
}

/** Secrets as HTTP clients put them into their messages: a token behind its scheme, a password in an address, a key in its query. */
const CREDENTIALS =
  /(\bbearer\s+|\bauthorization\W+(?:\w+\s+)?)[\w.~+/=-]{8,}|(:\/\/[^\s/:@]*:)[^\s/@]+(?=@)|([?&][\w-]*(?:key|token|secret|password|signature)=)[^\s&]+/gi;

/** Masks marked fields and credentials in the message of an error: it is stored, and shown by dashboards. */
export function safeReason(text: string): string {
  return redactText(text).replace(CREDENTIALS, `$1$2$3${MASK}`);
}
