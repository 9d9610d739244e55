import { isFinal, lockLostError, reasonFor, thrownBy, workerClosedError } from '../inbox/failure.js';
import type { EventHandlers } from '../inbox/handlers.js';
import type { InboxRun } from '../inbox/hooks.js';
import type { WorkSettings } from '../inbox/options.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { type Done, runStored } from '../inbox/run.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { DeadEnd, EventRow, Events } from './events.js';
import { delayAfter, type SqliteSettings } from './options.js';

/** What a run needs. */
export interface RunParts {
  readonly settings: SqliteSettings;
  readonly work: WorkSettings;
  readonly handlers: EventHandlers;
  readonly reporter: InboxReporter;
}

/** The end of a run. */
export interface Ending {
  /** Changes the row of the event. Returns false if the run has lost its lock. */
  readonly record: (events: Events) => boolean;
  /** Reports the end, once it is recorded. */
  readonly report: () => void;
}

const INTERRUPTIONS = { closed: workerClosedError, lost: lockLostError } as const;

/** One run of the handlers for an event that a worker has taken. */
export class EventRun {
  readonly event: EventRow;
  readonly #parts: RunParts;
  readonly #startedAt = Date.now();
  readonly #controller = new AbortController();
  #interruption: keyof typeof INTERRUPTIONS | undefined;
  /** Whether the handlers have ended. The end may not be recorded yet. */
  hasEnded = false;

  constructor(event: EventRow, parts: RunParts) {
    this.event = event;
    this.#parts = parts;
  }

  /** Aborts the signal of the handlers, and does not wait for them. */
  interrupt(why: keyof typeof INTERRUPTIONS): void {
    this.#interruption ??= why;
    this.#controller.abort(INTERRUPTIONS[why]());
  }

  /** Runs the handlers. Never rejects. Resolves to undefined if another run records the end of the event. */
  async handle(): Promise<Ending | undefined> {
    try {
      return await this.#runHandlers();
    } catch (error) {
      if (this.#interruption === 'lost') return undefined;
      if (this.#interruption === 'closed') return this.giveBack();
      const { signal } = this.#controller;
      return this.#fail(signal.aborted ? signal.reason : error);
    } finally {
      this.hasEnded = true;
    }
  }

  /** Puts the event back to the front of the queue. Costs no attempt. */
  giveBack(): Ending {
    return { record: (events) => events.giveBack(this.event), report: () => undefined };
  }

  async #runHandlers(): Promise<Ending> {
    const { handlers, work } = this.#parts;
    const outcome = await runStored(storedOf(this.event), handlers, {
      signal: this.#controller.signal,
      handlerTimeout: work.handlerTimeout,
      abort: (reason) => this.#controller.abort(reason),
    });
    return outcome === 'unhandled' ? this.#park() : this.#finish(outcome);
  }

  #finish(done: Done): Ending {
    const { settings, reporter } = this.#parts;
    const rememberedUntil = this.event.received + settings.retention;
    return {
      record: (events) => events.finish(this.event, rememberedUntil),
      report: () => reporter[done](() => toRun(this.event, this.#startedAt)),
    };
  }

  /** Leaves an event without a handler to workers that may have one. */
  #park(): Ending {
    const { work, reporter } = this.#parts;
    return {
      record: (events) => events.park(this.event, Date.now(), work.unhandledTimeout),
      report: () => reporter.unhandled(this.event.type, work.unhandledTimeout),
    };
  }

  #fail(error: unknown): Ending {
    const { settings, reporter } = this.#parts;
    const { event } = this;
    const failures = event.failures + 1;
    const isDead = isFinal(error) || failures >= settings.attempts;
    const reason = reasonFor(error);
    return {
      record: (events) =>
        isDead
          ? events.bury(event, deadEnd(settings, reason))
          : events.retry(event, Date.now() + delayAfter(failures, settings.backoff), reason),
      report: () => {
        const failure = { ...toRun(event, this.#startedAt), error: thrownBy(error) };
        if (isDead) reporter.deadLetter(failure);
        else reporter.retried(failure);
      },
    };
  }
}

/** Describes an event that becomes a dead letter now. */
export function deadEnd({ deadLetterRetention }: SqliteSettings, reason: string): DeadEnd {
  const now = Date.now();
  return { now, keptUntil: now + deadLetterRetention, reason };
}

/** Describes a run that ends now, for hooks and log lines. */
export function toRun(event: EventRow, startedAt: number): InboxRun {
  return {
    key: event.key,
    type: event.type,
    workspace: storedOf(event)?.workspace,
    attempt: event.failures + event.stalls + 1,
    waitedMs: Math.max(startedAt - event.received, 0),
    durationMs: Math.max(Date.now() - startedAt, 0),
  };
}

/** Returns the event as it was stored; undefined if damage of the file has changed it. */
export function storedOf({ data }: EventRow): StoredWebhook | undefined {
  try {
    // Written by `Events.store`.
    return JSON.parse(data) as StoredWebhook;
  } catch {
    return undefined;
  }
}
