import { WebhookError } from '../errors/index.js';
import { isObject } from '../utils/json.js';
import { unlessAborted } from '../utils/waiting.js';
import { checkStored } from '../webhooks/inbox.js';
import { delayAfter } from './delays.js';
import type { Ending, TakenEvent } from './engine.js';
import { isFinal, NoHandlerError, reasonFor } from './failure.js';
import type { EventHandlers } from './handlers.js';
import type { InboxRun } from './hooks.js';
import type { InboxSettings, WorkSettings } from './options.js';

/** What a run needs. */
export interface RunParts {
  readonly settings: InboxSettings;
  readonly work: WorkSettings;
  readonly handlers: EventHandlers;
}

/** The end of a run, with what its report needs. */
export type Result = Exclude<Ending, { readonly kind: 'done' | 'retry' | 'dead' }> | Finished | Failed;

interface Finished {
  readonly kind: 'done';
  /** `ignored` is a test event without a handler. */
  readonly how: 'handled' | 'ignored';
}

type Failed = Extract<Ending, { readonly kind: 'retry' | 'dead' }> & { readonly error: unknown };

/** Why a run ends before its handlers have settled. */
export type Interruption = Extract<Ending, { readonly kind: 'given back' | 'lost' }>['kind'];

const INTERRUPTIONS: Readonly<Record<Interruption, string>> = {
  'given back': 'The worker closed before the handlers had settled.',
  lost: 'The lock of the event was lost: another worker runs it.',
};

/** One run of the handlers for an event. */
export class EventRun {
  readonly event: TakenEvent;
  readonly #parts: RunParts;
  readonly #startedAt = Date.now();
  readonly #controller = new AbortController();
  #interruption: Interruption | undefined;

  constructor(event: TakenEvent, parts: RunParts) {
    this.event = event;
    this.#parts = parts;
  }

  /** Aborts the signal of the handlers, and does not wait for them. Returns false if that was done before. */
  interrupt(why: Interruption): boolean {
    if (this.#interruption !== undefined) return false;
    this.#interruption = why;
    this.#controller.abort(new WebhookError(INTERRUPTIONS[why]));
    return true;
  }

  /** Runs the handlers. Never rejects. */
  async handle(): Promise<Result> {
    try {
      return { kind: 'done', how: await this.#runHandlers() };
    } catch (error) {
      return this.#interruption === undefined ? this.#fail(error) : { kind: this.#interruption };
    }
  }

  /** Rejects with what `process` threw, or with the reason of the signal as soon as that is aborted. */
  async #runHandlers(): Promise<Finished['how']> {
    const { handlers, work } = this.#parts;
    const stored = checkStored(this.event.data);
    if (!handlers.handles(stored.type)) {
      if (stored.type === 'webhook_test') return 'ignored';
      throw new NoHandlerError();
    }
    const { signal } = this.#controller;
    const timer = setTimeout(() => {
      const text = `The handlers had not settled within ${work.handlerTimeout} ms (handlerTimeout).`;
      this.#controller.abort(new WebhookError(text));
    }, work.handlerTimeout);
    try {
      await unlessAborted(handlers.process(stored, { signal }), signal);
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
    return { kind: 'retry', reason, delay: delayAfter(failures, backoff), error };
  }

  /** Describes the run, which ends now, for hooks and log lines. */
  describe(): InboxRun {
    return describeRun(this.event, this.event.failures + this.event.stalls + 1, this.#startedAt);
  }
}

/** Describes a run that began at a time, and ends now. */
export function describeRun(event: TakenEvent, attempt: number, startedAt: number): InboxRun {
  const { key, type, receivedAt, data } = event;
  const workspace = isObject(data) && typeof data.workspace === 'string' ? data.workspace : undefined;
  return {
    key,
    type,
    workspace,
    attempt,
    waitedMs: Math.max(startedAt - receivedAt, 0),
    durationMs: Math.max(Date.now() - startedAt, 0),
  };
}
