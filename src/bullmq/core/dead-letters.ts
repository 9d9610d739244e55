import * as z from 'zod/mini';
import { checkOptions, func, type OptionFields, wholeNumber } from '../../validation/options.js';
import type { StoredWebhook } from '../../webhooks/inbox.js';
import { type Settled, withDefaults } from './options.js';

/** A stored event that could not be handled. */
export interface DeadLetter {
  /** The key of the event, for `replay` and `remove`. */
  readonly id: string;
  /** The event as it was stored. */
  readonly webhook: StoredWebhook;
  /** Why it failed: the message of the last error, or what happened to the event. */
  readonly reason: string;
  /** The number of runs of its handlers, including those that lost their worker or their lock. */
  readonly attempts: number;
  /** The time at which it became a dead letter, in milliseconds since the Unix epoch. */
  readonly failedAt: number;
}

/** A page of dead letters, the oldest first. */
export interface ListDeadLettersOptions {
  /** The number of dead letters before the page. Default 0. */
  readonly start?: number | undefined;
  /** The largest number to return. Default 50. All are held in memory: take fewer if events are large. */
  readonly limit?: number | undefined;
}

/** Chooses the dead letters to replay. */
export type SelectDeadLetter = (letter: DeadLetter) => boolean;

const LIST_DEFAULTS: Settled<ListDeadLettersOptions> = { start: 0, limit: 50 };

const listFields: OptionFields<ListDeadLettersOptions> = {
  start: z.optional(wholeNumber(0)),
  limit: z.optional(wholeNumber(1)),
};

/** Checks the options of `deadLetters.list`, and fills in the defaults. */
export function resolveList(options: ListDeadLettersOptions): Settled<ListDeadLettersOptions> {
  checkOptions(z.strictObject(listFields), options, { of: 'deadLetters.list' });
  return withDefaults(LIST_DEFAULTS, options);
}

/** Checks the function that `deadLetters.replayAll` was given. */
export function checkSelect(select: SelectDeadLetter): void {
  checkOptions(z.strictObject({ select: func }), { select }, { of: 'deadLetters.replayAll' });
}

/** Only `true` selects: from JavaScript, an async function would return a promise for every dead letter. */
export function isSelected(letter: DeadLetter, select: SelectDeadLetter): boolean {
  return select(letter) === true;
}
