import { UnrecoverableError } from 'bullmq';
import { WebhookError, WebhookPayloadError } from '../errors/index.js';
import { redactText } from '../ground/redact.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { WebhookProcessor } from './webhook-handlers.js';

/** How a run ended that did not fail. */
export type RunOutcome = 'handled' | 'returned';

/** One run of the handlers, as the worker holds it. The processor gets it as its options. */
export class Run {
  /** Resolves when the event is to go back to the queue; never, when it is not. */
  readonly returned: Promise<'returned'>;
  #giveBack: () => void = () => undefined;
  #controller: AbortController | undefined;
  #reason: WebhookError | undefined;
  #isLost = false;
  #older: Run | undefined;
  #newerEnded: Promise<void> | undefined;
  #tellOlder: () => void = () => undefined;

  constructor() {
    this.returned = new Promise((resolve) => {
      this.#giveBack = () => resolve('returned');
    });
  }

  /** Made when it is asked for: a controller is a good part of what a short run costs. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Whether another run of its event may begin, or has begun. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether another run of its event has begun in the same worker. */
  get isOvertaken(): boolean {
    return this.#newerEnded !== undefined;
  }

  /** The run that this one has overtaken. It ends later than this one. */
  get older(): Run | undefined {
    return this.#older;
  }

  /** The event is no longer this run's. Its handlers are told; the run lasts until they have settled. */
  lose(): void {
    this.#isLost = true;
    this.#abort('The event was given to another worker, because this one did not renew its lock in time.');
  }

  /** Takes the place of a run of the same event, which has lost it and goes on in the same worker. */
  overtake(older: Run): void {
    this.#older = older;
    older.#newerEnded = new Promise((resolve) => {
      this.#tellOlder = resolve;
    });
  }

  /** The worker closes: the handlers are told, and the event goes back without waiting for them. */
  giveBack(): void {
    this.#abort('The worker closes, and the event goes back to the queue.');
    this.#giveBack();
    this.#older?.giveBack();
  }

  /** Resolves when the run that has overtaken this one, if any, has ended. */
  get newerEnded(): Promise<void> | undefined {
    return this.#newerEnded;
  }

  /** Lets the run that this one has overtaken end too. */
  end(): void {
    this.#tellOlder();
  }

  #abort(message: string): void {
    this.#reason = new WebhookError(message);
    this.#controller?.abort(this.#reason);
  }
}

/**
 * Runs the handlers for one job. Rejects as BullMQ is to see it: with an `UnrecoverableError` where no retry can help, and
 * with the reason as it may be stored; `cause` is what was thrown.
 */
export async function runJob(processor: WebhookProcessor, data: unknown, run: Run): Promise<RunOutcome> {
  try {
    return await Promise.race([handle(processor, data, run), run.returned]);
  } catch (error) {
    const reason = reasonOf(error);
    if (!(error instanceof WebhookPayloadError)) throw new Error(reason, { cause: error });
    throw Object.assign(new UnrecoverableError(reason), { cause: error });
  }
}

async function handle(processor: WebhookProcessor, data: unknown, run: Run): Promise<'handled'> {
  await processor.process(storedWebhook(data), run);
  return 'handled';
}

/** Someone else's job in this queue would fail in a way that tells nothing. */
function storedWebhook(data: unknown): StoredWebhook {
  const { type, payload } = (data ?? {}) as Partial<StoredWebhook>;
  if (typeof type === 'string' && typeof payload === 'object' && payload !== null)
    return data as StoredWebhook;
  throw new WebhookPayloadError('The job holds no stored webhook', { issues: [] });
}

/** A reason is to be read, not to keep whatever a handler puts into its errors. */
const MAX_REASON = 1_000;

/** What is kept with a dead letter: our message, and class and message of what the handlers threw, marked fields masked. */
function reasonOf(error: unknown): string {
  const cause = error instanceof WebhookError ? error.cause : undefined;
  const thrown: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause ?? []].flat();
  const shown = [error, ...thrown].map((one) => (one instanceof Error ? describe(one) : typeof one));
  return shown.join(' ').slice(0, MAX_REASON);
}

function describe(error: Error): string {
  const text = redactText(error.message);
  return error instanceof WebhookError ? text : `${error.name}: ${text}`;
}
