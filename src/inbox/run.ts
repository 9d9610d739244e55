import { WebhookError } from '../errors/index.js';
import { isObject } from '../utils/json.js';
import { checkStored } from '../webhooks/inbox.js';
import { delayAfter } from './delays.js';
import type { Ending, InboxEvent } from './engine.js';
import { askedDelay, isFinal, reasonFor, unhandledError } from './failure.js';
import type { InboxRun } from './hooks.js';
import type { InboxSettings, WorkSettings } from './options.js';
import type { EventHandlers } from './work-handlers.js';

/** The parts of a run. */
export interface RunParts {
  readonly settings: InboxSettings;
  readonly work: WorkSettings;
  readonly handlers: EventHandlers;
}

/** The end of a run, with what its report needs. */
export type RunResult = Exclude<Ending, { readonly kind: 'done' | 'retry' | 'dead' }> | Finished | Failed;

interface Finished {
  readonly kind: 'done';
  /** `ignored` is a test event without a handler. */
  readonly how: 'handled' | 'ignored';
}

type Failed = Extract<Ending, { readonly kind: 'retry' | 'dead' }> & { readonly error: unknown };

/** Why a run ends before its handlers do. */
export type Interruption = Extract<Ending, { readonly kind: 'given back' | 'lost' }>['kind'];

const INTERRUPTIONS: Readonly<Record<Interruption, string>> = {
  'given back': 'The worker closed before the handlers finished.',
  lost: 'The lock of the event was lost. Another worker may run it.',
};

/** One run of the handlers for an event. */
export class EventRun {
  readonly event: InboxEvent;
  /** The number of handlers that the event has. Functions of your own count as one. */
  handlers = 1;
  readonly #parts: RunParts;
  readonly #waitedMs: number;
  readonly #startedAt = performance.now();
  /** The signal of the handlers. */
  readonly #controller = new AbortController();
  /** Ends the wait for them. */
  #end: (reason: Error) => void = () => undefined;
  #interruption: Interruption | undefined;

  constructor(event: InboxEvent, parts: RunParts) {
    this.event = event;
    this.#parts = parts;
    this.#waitedMs = Math.max(Date.now() - event.receivedAt, 0);
  }

  /**
   * Aborts the signal of the handlers, and stops waiting for them. Returns false the second time.
   *
   * It still waits for a run that lost its lock: if that succeeds, no other run is needed.
   */
  interrupt(why: Interruption): boolean {
    const isNew = this.#interruption === undefined;
    this.#interruption ??= why;
    const reason = new WebhookError(INTERRUPTIONS[why]);
    this.#controller.abort(reason);
    if (why !== 'lost') this.#end(reason);
    return isNew;
  }

  /** Runs the handlers. Never rejects. */
  async handle(): Promise<RunResult> {
    try {
      return { kind: 'done', how: await this.#runHandlers() };
    } catch (error) {
      return this.#interruption === undefined ? this.#fail(error) : { kind: this.#interruption };
    }
  }

  /** Rejects with the error of `process`, or with the reason of the signal. */
  async #runHandlers(): Promise<Finished['how']> {
    const { handlers, work } = this.#parts;
    const webhook = checkStored(this.event.data);
    if (!handlers.handles(webhook.type)) {
      if (webhook.type === 'webhook_test') return 'ignored';
      // The engine asked for the type in its own column. Somebody has changed one of the two.
      throw unhandledError();
    }
    const { signal } = this.#controller;
    const timer = setTimeout(() => {
      const text = `The handlers did not finish within ${work.handlerTimeout} ms (handlerTimeout).`;
      const reason = new WebhookError(text);
      this.#controller.abort(reason);
      this.#end(reason);
    }, work.handlerTimeout);
    try {
      await new Promise((resolve, reject) => {
        this.#end = reject;
        const onHandlers = (count: number) => {
          this.handlers = count;
        };
        handlers.process(webhook, { signal, onHandlers }).then(resolve, reject);
      });
      return 'handled';
    } finally {
      clearTimeout(timer);
    }
  }

  /** Decides what becomes of an event whose run has failed. */
  #fail(error: unknown): Failed {
    const { attempts, backoff } = this.#parts.settings;
    const failures = this.event.failures + 1;
    const reason = reasonFor(error);
    if (isFinal(error) || failures >= attempts) return { kind: 'dead', reason, error };
    const asked = askedDelay(error);
    const delay = asked === undefined ? delayAfter(failures, backoff) : Math.min(asked, backoff.maxDelay);
    return { kind: 'retry', reason, delay, error };
  }

  /** Describes the run, which ends now, for hooks and log lines. */
  describe(): InboxRun {
    const { failures, stalls } = this.event;
    const durationMs = Math.round(performance.now() - this.#startedAt);
    return { ...describeRun(this.event, failures + stalls + 1), waitedMs: this.#waitedMs, durationMs };
  }
}

/** Describes a run that has had no time, because the engine has ended it. */
export function describeRun(event: InboxEvent, attempt: number): InboxRun {
  const { key, type, receivedAt, data } = event;
  const workspace = isObject(data) && typeof data.workspace === 'string' ? data.workspace : undefined;
  return {
    key,
    type,
    workspace,
    attempt,
    waitedMs: Math.max(Date.now() - receivedAt, 0),
    durationMs: 0,
  };
}
