import * as z from 'zod/mini';
import {
  checkOptions,
  func,
  milliseconds,
  type OptionFields,
  wholeNumber,
} from '../../validation/options.js';
import type { WebhookFailure } from '../../webhooks/context.js';

/** Options of `inbox.work`. */
export interface WorkOptions {
  /** The largest number of events that this worker processes at once. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Time limit for the handlers of an event, in ms. Default 300 000: five minutes.
   *
   * After it their signal is aborted, and the run counts as failed. A handler that goes on is not waited for.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * How long an event waits for a worker that has a handler for it, in ms. Default 3 600 000: an hour.
   *
   * The time starts when a worker without one first gives it back. Then it becomes a dead letter, unless
   * its handlers have run before. To drop events of a type, give it a handler that does nothing.
   */
  readonly unhandledTimeout?: number | undefined;
  /**
   * Time in ms after which another worker can take over the event of a worker that died. Default 30 000.
   *
   * Noticing it takes up to the same time again. The lock is renewed while handlers run; a worker whose event
   * loop is blocked for longer loses it too.
   */
  readonly lockDuration?: number | undefined;
  /**
   * How many times a worker may die while it runs an event, or lose its lock, before the event becomes a dead
   * letter. Default 5.
   *
   * An event that makes every worker crash must not stop the queue.
   */
  readonly maxStalls?: number | undefined;
  /** Called for each failure of a handler, with what it threw. `createWebhookHandlers` has its own. */
  readonly onError?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
}

/** Options of `close`, for a worker and for an inbox. */
export interface CloseOptions {
  /**
   * Time for events in progress to finish, in ms. Default 25 000, below the 30 s that Kubernetes waits.
   *
   * After it the signals of their handlers are aborted, and the events go back to the front of the queue.
   * Only the first call of `close` counts.
   */
  readonly grace?: number | undefined;
}

/** Options with their defaults filled in. */
export type Settled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** Returns the defaults, each replaced by the option of its name unless that is undefined. */
export function withDefaults<Defaults extends object>(
  defaults: Defaults,
  options: { readonly [Name in keyof Defaults]?: Defaults[Name] | undefined },
): Defaults {
  const given = Object.entries(options).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** The checked options of a worker. */
export type WorkSettings = Settled<Omit<WorkOptions, 'onError'>>;

const WORK_DEFAULTS: WorkSettings = {
  concurrency: 10,
  handlerTimeout: 300_000,
  unhandledTimeout: 3_600_000,
  lockDuration: 30_000,
  maxStalls: 5,
};

const workFields: OptionFields<WorkOptions> = {
  concurrency: z.optional(wholeNumber(1)),
  handlerTimeout: z.optional(milliseconds()),
  unhandledTimeout: z.optional(milliseconds()),
  lockDuration: z.optional(milliseconds()),
  maxStalls: z.optional(wholeNumber(1)),
  onError: z.optional(func),
};

/** Checks the options of a worker, and fills in the defaults. */
export function resolveWork(options: WorkOptions): WorkSettings {
  checkOptions(z.strictObject(workFields), options, { of: 'inbox.work' });
  return withDefaults(WORK_DEFAULTS, options);
}

const DEFAULT_GRACE_MS = 25_000;

const closeFields: OptionFields<CloseOptions> = { grace: z.optional(wholeNumber(0)) };

/** Checks the options of `close`, and returns the grace in milliseconds. */
export function resolveGrace(options: CloseOptions): number {
  checkOptions(z.strictObject(closeFields), options, { of: 'close' });
  return options.grace ?? DEFAULT_GRACE_MS;
}
