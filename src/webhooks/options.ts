import * as z from 'zod/mini';
import { isObject } from '../utils/json.js';
import { createLogger, type LeveledLogger, type Logger, type LogLevel } from '../utils/logger.js';
import { type Drift, DriftReporter } from '../validation/drift.js';
import {
  checkOptions,
  func,
  loggingOptions,
  methods,
  milliseconds,
  type OptionFields,
  type OptionProblem,
  oneOf,
  wholeNumber,
} from '../validation/options.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import { DEFAULT_MAX_BODY_BYTES } from './adapters/reading.js';
import { DEFAULT_WINDOW_MS, type DedupeSettings } from './dedupe/claim.js';
import { createMemoryDedupe, type DedupeStore } from './dedupe/store.js';
import type { WebhookInbox } from './inbox.js';
import type { DeliveryOutcome } from './outcomes.js';
import type { EventValidation } from './payload.js';
import { secretProblems, type WebhookSecretOptions } from './secrets/resolve.js';

/** Options for the validation of events. */
export interface WebhookEventOptions {
  /** The strictness of validation against the API specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /** Called when an event has issues that the validation mode forgives. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
}

/** Options for the recognition of duplicates. */
export interface DedupeOptions {
  /** The store that remembers handled events. Default: {@link createMemoryDedupe}, for one process. */
  readonly store?: DedupeStore | undefined;
  /** Time for which a handled event is remembered, in ms. Default 24 hours. */
  readonly window?: number | undefined;
}

/** A delivery that has its response. Contains nothing of its payload. */
export interface DeliveryHookContext {
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** The event type; undefined if the delivery was not verified. */
  readonly type: string | undefined;
  /** The name of the workspace that sent it, if the secrets are named. */
  readonly workspace: string | undefined;
  /**
   * The end of the delivery in one word: `handled`, `stored`, `duplicate`, `verification_failed`,
   * `handler_failed`, …
   */
  readonly outcome: DeliveryOutcome;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Bytes of the body; undefined if a body parser was in front, or the body was not read. */
  readonly size: number | undefined;
  /** Milliseconds from the arrival of the delivery to the response. */
  readonly durationMs: number;
}

/** Callbacks for metrics. */
export interface WebhookReceiverHooks {
  /** Called once for each delivery, with its response. Not awaited; what it throws is logged and ignored. */
  readonly onDelivery?: ((delivery: DeliveryHookContext) => unknown) | undefined;
}

/** Options of {@link createWebhookReceiver}. */
export interface WebhookReceiverOptions extends WebhookSecretOptions, WebhookEventOptions {
  /**
   * Time limit of a delivery, in ms. Then it gets a 500, and `context.signal` is aborted. Default 55 000, at
   * most 59 000: the service waits 60 seconds (specification, 6.4).
   */
  readonly deadline?: number | undefined;
  /**
   * The most bytes of a body; a larger one is refused with 413. Not checked if a body parser was in front.
   * Default 8 MiB: room for a conversation of four thousand messages of 1 kB, if its event carries each twice,
   * in `turns` and `messagesHistory` (an assumption: not shown).
   *
   * All bodies that are not verified share 64 MiB of memory, or twice `maxBodyBytes` if that is more. Above that,
   * the oldest is refused with 503, and `onRejected` gets the reason `overloaded`.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Recognition of duplicates: options, a store, or `false` to handle every duplicate. Cannot be combined
   * with `inbox`. Default: in the memory of this process, for 24 hours.
   */
  readonly dedupe?: DedupeOptions | DedupeStore | false | undefined;
  /** Durable storage in front of the handlers: 200 means stored, and handlers belong to its workers. */
  readonly inbox?: WebhookInbox | undefined;
  /** Callbacks for metrics. */
  readonly hooks?: WebhookReceiverHooks | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Refused deliveries are logged at `warn`, failures at `error`, other deliveries at `info`. Default
   * `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/** The resolved options of a receiver. */
export interface ReceiverSettings extends EventValidation {
  readonly deadline: number;
  readonly maxBodyBytes: number;
  readonly dedupe: DedupeSettings | undefined;
  readonly inbox: WebhookInbox | undefined;
  readonly hooks: WebhookReceiverHooks;
  readonly log: LeveledLogger;
}

const DEFAULT_DEADLINE_MS = 55_000;
/** A receiver must respond within 60 seconds (specification, 6.4 and 8): this leaves a second. */
const MAX_DEADLINE_MS = 59_000;

// Schemas of options are made when options are checked: at the top level, they would be in every bundle, and
// cost every program time when it starts.

/** The schemas of the options that receivers, worker handlers and parsers share. */
export function validationOptions() {
  return { validation: z.optional(oneOf(VALIDATION_MODES)), onDrift: z.optional(func) };
}

/** `secretProblems` describes what is wrong with `secret`. */
export function secretOptions() {
  return { secret: z.optional(z.unknown()), verifySecret: z.optional(func) };
}

function receiverOptions(): OptionFields<WebhookReceiverOptions> {
  return {
    ...secretOptions(),
    ...validationOptions(),
    ...loggingOptions(),
    deadline: z.optional(milliseconds(MAX_DEADLINE_MS)),
    maxBodyBytes: z.optional(wholeNumber(1)),
    dedupe: z.optional(z.unknown()),
    inbox: z.optional(methods('store')),
    hooks: z.optional(z.strictObject({ onDelivery: z.optional(func) })),
  };
}

/** Checks the options of a receiver, and fills in the defaults. */
export function resolveReceiver(options: WebhookReceiverOptions): ReceiverSettings {
  const about = { of: 'createWebhookReceiver', variables: { logLevel: 'AGENT_PLATFORM_LOG' } };
  const schema = z.strictObject(receiverOptions());
  // The schema refuses what has no fields to look at.
  if (!isObject(options)) checkOptions(schema, options, about);
  checkOptions(schema, options, about, [...secretProblems(options), ...conflicts(options)]);
  const { deadline = DEFAULT_DEADLINE_MS, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const { inbox, hooks = {} } = options;
  const dedupe = resolveDedupe(options);
  return { ...resolveEvents(options), deadline, maxBodyBytes, dedupe, inbox, hooks };
}

/** Describes the options that conflict with others. */
function conflicts(options: WebhookReceiverOptions): readonly OptionProblem[] {
  const { deadline = DEFAULT_DEADLINE_MS, inbox, dedupe } = options;
  const problems: OptionProblem[] = [];
  if (inbox?.storeTimeout !== undefined && inbox.storeTimeout >= deadline) {
    const text =
      `must be above the storeTimeout of the inbox, ${inbox.storeTimeout} ms, got ${deadline}: ` +
      'an event that is still being stored would be refused.';
    problems.push({ option: 'deadline', text });
  }
  if (inbox !== undefined && dedupe !== undefined && dedupe !== false) {
    problems.push({
      option: 'dedupe',
      text: 'cannot be combined with `inbox`: the stored job is the claim.',
    });
  }
  return problems;
}

/** Resolves the options of validation and of the log. */
export function resolveEvents(
  options: WebhookEventOptions & Pick<WebhookReceiverOptions, 'logger' | 'logLevel'>,
): EventValidation & { readonly log: LeveledLogger } {
  const { validation = DEFAULT_VALIDATION, onDrift, logger, logLevel } = options;
  const log = createLogger(logger, logLevel);
  return { validation, drift: new DriftReporter(log, onDrift), log };
}

function resolveDedupe({ dedupe, inbox }: WebhookReceiverOptions): DedupeSettings | undefined {
  if (dedupe === false || (inbox !== undefined && dedupe === undefined)) return undefined;
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
