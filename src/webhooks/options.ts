import * as z from 'zod/v4/mini';
import { warnOfUnits } from '../utils/durations.js';
import type { LeveledLogger, Logger, LogLevel } from '../utils/logger.js';
import {
  checkedBy,
  checkOptions,
  func,
  loggingOptions,
  methods,
  milliseconds,
  type OptionFields,
  type OptionProblem,
  wholeNumber,
} from '../validation/check-options.js';
import { DEFAULT_MAX_BODY_BYTES } from './body/reading.js';
import type { WebhookReceiverHooks } from './context.js';
import { DEFAULT_WINDOW_MS, type DedupeSettings } from './dedupe/claim.js';
import { createMemoryDedupe, type DedupeStore } from './dedupe/store.js';
import {
  resolveEvents,
  secretOptions,
  validationOptions,
  type WebhookEventOptions,
} from './event-options.js';
import type { WebhookHandlers } from './handlers.js';
import type { WebhookInbox } from './inbox.js';
import type { EventValidation } from './payload.js';
import { secretProblems, type WebhookSecretOptions } from './secrets/resolve.js';

/** Options for the recognition of duplicates. */
export interface DedupeOptions {
  /** Remembers handled events. Default {@link createMemoryDedupe}, for one process. */
  readonly store?: DedupeStore | undefined;
  /** Sets how long a handled event is remembered, in ms. Default 24 hours. */
  readonly window?: number | undefined;
}

/** The options that every receiver has. */
export interface ReceiverOptions extends WebhookSecretOptions {
  /**
   * Limits the time of a delivery, in ms. Default 55 000, at most 59 000.
   *
   * Then it gets a 500, and `context.signal` is aborted. The service waits 60 seconds (specification, 6.4).
   */
  readonly deadline?: number | undefined;
  /**
   * Limits the bytes of a body. Default 8 MiB. A larger body gets a 413.
   *
   * The default has room for a conversation of four thousand messages of 1 kB, if its event carries each twice, in
   * `turns` and `messagesHistory` (an assumption). A body that a parser has read is not measured.
   *
   * All unverified bodies share 64 MiB of memory, or twice `maxBodyBytes` if that is more. Above that, the oldest
   * gets a 503, and `onRejected` the reason `overloaded`.
   */
  readonly maxBodyBytes?: number | undefined;
  /** Callbacks for metrics. */
  readonly hooks?: WebhookReceiverHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Sets the least level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   *
   * Refused deliveries are logged at `warn`, failures at `error`, other deliveries at `info`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/** Options of {@link createWebhookReceiver}, for a receiver that runs handlers: 200 means handled. */
export interface WebhookReceiverOptions extends ReceiverOptions, WebhookEventOptions {
  /** Runs these handlers, with their own `validation` and `onDrift`. Default: those of `receiver.on`. */
  readonly handlers?: WebhookHandlers | undefined;
  /**
   * Recognises duplicates. Default: in the memory of this process, for 24 hours.
   *
   * Takes options, a store, or `false` to handle every duplicate.
   */
  readonly dedupe?: DedupeOptions | DedupeStore | false | undefined;
  /** Only in {@link StoringReceiverOptions}. */
  readonly inbox?: undefined;
}

/** Options of {@link createWebhookReceiver}, for a receiver in front of an inbox: 200 means stored. */
export interface StoringReceiverOptions extends ReceiverOptions {
  /** Stores each event before the 200. Its workers run the handlers. */
  readonly inbox: WebhookInbox;
}

/** The options of either kind of receiver. */
export type AnyReceiverOptions = WebhookReceiverOptions | StoringReceiverOptions;

/** The resolved options of a receiver. */
export interface ReceiverSettings extends EventValidation {
  readonly deadline: number;
  readonly maxBodyBytes: number;
  readonly dedupe: DedupeSettings | undefined;
  readonly inbox: WebhookInbox | undefined;
  /** Those that were passed. */
  readonly handlers: WebhookHandlers | undefined;
  readonly hooks: WebhookReceiverHooks;
  readonly log: LeveledLogger;
}

const DEFAULT_DEADLINE_MS = 55_000;
/** A receiver must respond within 60 seconds (specification, 6.4 and 8): this leaves a second. */
const MAX_DEADLINE_MS = 59_000;

type Both = Omit<WebhookReceiverOptions, 'inbox'> & Partial<Pick<StoringReceiverOptions, 'inbox'>>;

function receiverOptions(): OptionFields<Both> {
  return {
    ...secretOptions(),
    ...validationOptions(),
    ...loggingOptions(),
    deadline: z.optional(milliseconds(MAX_DEADLINE_MS)),
    maxBodyBytes: z.optional(wholeNumber(1)),
    handlers: z.optional(checkedBy(handlersProblem)),
    dedupe: z.optional(z.unknown()),
    inbox: z.optional(methods('store')),
    hooks: z.optional(z.strictObject({ onDelivery: z.optional(func) })),
  };
}

/** They may be of another copy of the package. */
function handlersProblem(handlers: unknown): string | undefined {
  const isMade = typeof (handlers as Partial<WebhookHandlers> | null)?.run === 'function';
  return isMade ? undefined : 'must be made by createWebhookHandlers';
}

/** Checks the options of a receiver, and fills in the defaults. */
export function resolveReceiver(given: AnyReceiverOptions): ReceiverSettings {
  // From JavaScript, they may be mixed.
  const options = given as Both;
  const about = { of: 'createWebhookReceiver', variables: { logLevel: 'AGENT_PLATFORM_LOG' } };
  const further = () => [...secretProblems(options), ...conflicts(options)];
  checkOptions(z.strictObject(receiverOptions()), options, about, further);
  const { deadline = DEFAULT_DEADLINE_MS, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const { inbox, handlers, hooks = {} } = options;
  const dedupe = inbox === undefined ? resolveDedupe(options.dedupe) : undefined;
  const events = resolveEvents(options);
  warnOfUnits(events.log, 'receiver', { deadline, 'dedupe.window': dedupe?.window });
  return { ...events, deadline, maxBodyBytes, dedupe, inbox, handlers, hooks };
}

const OF_HANDLERS = 'belongs to the handlers: pass it to createWebhookHandlers.';

/** Options that belong elsewhere, beside another. */
const MISPLACED: readonly [beside: keyof Both, option: keyof Both, where: string][] = [
  ['inbox', 'validation', OF_HANDLERS],
  ['inbox', 'onDrift', OF_HANDLERS],
  ['inbox', 'handlers', 'belong to the worker: inbox.work(handlers).'],
  ['inbox', 'dedupe', 'belongs to the inbox: see its `retention`.'],
  ['handlers', 'validation', OF_HANDLERS],
  ['handlers', 'onDrift', OF_HANDLERS],
];

/** Describes the options that conflict with others. */
function conflicts(options: Both): readonly OptionProblem[] {
  const { deadline = DEFAULT_DEADLINE_MS, inbox } = options;
  const problems = MISPLACED.flatMap(([beside, option, text]): OptionProblem[] =>
    options[beside] === undefined || options[option] === undefined ? [] : [{ option, text }],
  );
  if (inbox?.storeTimeout !== undefined && inbox.storeTimeout >= deadline) {
    // Otherwise the receiver refuses events that are still being stored.
    const text = `must be above the storeTimeout of the inbox, ${inbox.storeTimeout} ms, got ${deadline}.`;
    problems.push({ option: 'deadline', text });
  }
  return problems;
}

function resolveDedupe(dedupe: WebhookReceiverOptions['dedupe']): DedupeSettings | undefined {
  if (dedupe === false) return undefined;
  const options: DedupeOptions = dedupe === undefined ? {} : isStore(dedupe) ? { store: dedupe } : dedupe;
  const schema = z.strictObject({
    store: z.optional(methods('claim', 'complete', 'release')),
    window: z.optional(milliseconds(Number.POSITIVE_INFINITY)),
  });
  checkOptions(schema, options, { of: 'createWebhookReceiver', path: 'dedupe' });
  return { store: options.store ?? createMemoryDedupe(), window: options.window ?? DEFAULT_WINDOW_MS };
}

function isStore(dedupe: DedupeOptions | DedupeStore): dedupe is DedupeStore {
  return typeof (dedupe as Partial<DedupeStore> | null)?.claim === 'function';
}
