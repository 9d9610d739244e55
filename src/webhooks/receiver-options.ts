import { LeveledLogger, type Logger, type LogLevel } from '../ground/logger.js';
import { type Drift, DriftReporter } from '../validation/drift.js';
import {
  checkFunction,
  checkHooks,
  checkLogger,
  checkMethods,
  checkOneOf,
  checkPositive,
  checkTimeout,
  type OptionNames,
  refuseOption,
  refuseUnknown,
  resolveLogLevel,
} from '../validation/option-checks.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import { DEFAULT_MAX_BODY_BYTES } from './adapters.js';
import type { DedupeSettings } from './claims.js';
import { type Clock, systemClock } from './clock.js';
import { DEFAULT_WINDOW, type DedupeStore } from './dedupe-store.js';
import type { EventValidation } from './delivery.js';
import type { DefinedEvent } from './events.js';
import type { WebhookInbox } from './inbox.js';
import { createMemoryDedupe } from './memory-dedupe.js';
import type { WebhookReceiverHooks } from './observe.js';
import { SecretLoader } from './secret-loader.js';
import { type AnyVerifier, refuseAll, verifierFor, type WebhookSecretOptions } from './secret-options.js';
import { createVerifier } from './secrets.js';

/** Options by which duplicates are recognised. */
export interface DedupeOptions {
  /** The store that remembers handled events. Default: {@link createMemoryDedupe}, for one process. */
  readonly store?: DedupeStore | undefined;
  /** Milliseconds for which a handled event is remembered. Default 24 hours. */
  readonly window?: number | undefined;
  /**
   * Milliseconds after which the claim of a process that died is free again. It is renewed while handlers run.
   * Default 10 000.
   */
  readonly lease?: number | undefined;
  /**
   * Milliseconds after which a store that has not answered counts as one that fails. Default 5 000.
   */
  readonly timeout?: number | undefined;
  /**
   * The choice for an event when the store fails: `'handle'` it, perhaps twice, or `'refuse'` it with 500, and lose it,
   * because the service does not send it again. A choice of this package. Default `'handle'`.
   */
  readonly ifUnavailable?: 'handle' | 'refuse' | undefined;
}

/** Options of {@link createWebhookReceiver}. */
export type WebhookReceiverOptions = WebhookSecretOptions & {
  /**
   * Milliseconds until a delivery is answered 500, finished or not. At most 59 000, because the service waits 60
   * seconds (specification, 6.4). Default 55 000.
   */
  readonly deadline?: number | undefined;
  /**
   * The most bytes of a body. More is answered 413, and not read further. The size of a body that a body
   * parser has already made an object of is not known, and not checked. Default 8 MiB: the specification names no limit, and
   * this is room for a conversation of four thousand messages of 1 kB each, sent twice in its `conversation_updated`.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The most bytes that bodies hold in all, of those that this receiver reads itself and has not verified yet. Where there would be
   * more, the one with the most bytes times the milliseconds since it began is given up and answered 503, told to
   * `onRejected` as `overloaded`: genuine deliveries are small, or come quickly. That may be one that waits for
   * its secret to be looked up or loaded. At least `maxBodyBytes`. Default 64 MiB, or `maxBodyBytes` where that is more.
   */
  readonly maxUnverifiedBytes?: number | undefined;
  /**
   * The recognition of duplicates: options, a store, or `false` to handle every copy. Not together with `inbox`.
   * Default: in the memory of this process, for 24 hours.
   */
  readonly dedupe?: DedupeOptions | DedupeStore | false | undefined;
  /** Durable storage in front of the handlers. With it, 200 means stored. */
  readonly inbox?: WebhookInbox | undefined;
  /** The strictness of validation against the specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /** Called when a payload has issues that the validation mode forgives. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /** Callbacks to feed metrics. */
  readonly hooks?: WebhookReceiverHooks | undefined;
  /** The clock, for tests. Default: the runtime's. */
  readonly clock?: Clock | undefined;
  /** Takes the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Refused deliveries are logged at `warn`, failures at `error`, each other delivery at `info`. Default `'warn'`.
   * Environment: `AGENT_PLATFORM_LOG`.
   */
  readonly logLevel?: LogLevel | undefined;
};

/**
 * Options of a receiver that only processes what an inbox has stored, and so needs no secret: those of
 * {@link WebhookReceiverOptions} that concern handlers. It answers 500 to a delivery, and reports a `ConfigurationError`.
 */
export type WebhookProcessingOptions = Pick<
  WebhookReceiverOptions,
  'validation' | 'onDrift' | 'logger' | 'logLevel'
>;

/** The checked options of a receiver. */
export interface ReceiverSettings extends EventValidation {
  /** Those that handlers were registered for. */
  readonly events: Map<string, DefinedEvent>;
  /** Makes the verifier of one delivery. */
  readonly newVerifier: () => AnyVerifier;
  readonly deadline: number;
  readonly maxBodyBytes: number;
  readonly maxUnverifiedBytes: number;
  readonly dedupe: DedupeSettings | undefined;
  readonly inbox: WebhookInbox | undefined;
  readonly hooks: WebhookReceiverHooks;
  readonly clock: Clock;
  readonly log: LeveledLogger;
}

const receiverOptions: OptionNames<WebhookReceiverOptions> = {
  secret: true,
  verifySecret: true,
  deadline: true,
  maxBodyBytes: true,
  maxUnverifiedBytes: true,
  dedupe: true,
  inbox: true,
  validation: true,
  onDrift: true,
  hooks: true,
  clock: true,
  logger: true,
  logLevel: true,
};
const hookNames: OptionNames<WebhookReceiverHooks> = { onDelivery: true };
const dedupeOptions: OptionNames<DedupeOptions> = {
  store: true,
  window: true,
  lease: true,
  timeout: true,
  ifUnavailable: true,
};

const DEFAULT_MAX_UNVERIFIED_BYTES = 64 * 1024 * 1024;
const DEFAULT_DEADLINE = 55_000;
/** An answer that comes later is heard by nobody (specification, 6.4 and 8). */
const MAX_DEADLINE = 59_000;
const TOO_LATE = ': the service waits 60 seconds';

/** Checks the options of a receiver, and fills in the defaults. */
export function resolveReceiver(given: WebhookReceiverOptions | WebhookProcessingOptions): ReceiverSettings {
  // The options that a receiver without a secret does not have are undefined.
  const options = given as WebhookReceiverOptions;
  refuseUnknown(options, receiverOptions);
  const { inbox } = options;
  const clock = checkMethods('clock', ['now', 'setTimeout', 'clearTimeout'], options.clock) ?? systemClock;
  const log = new LeveledLogger(checkLogger(options.logger), resolveLogLevel(options.logLevel));
  return {
    newVerifier: isForDeliveries(options)
      ? verifierFor(options, createVerifier, (load) => new SecretLoader(load, clock, log))
      : refuseAll,
    deadline: checkTimeout('deadline', options.deadline, MAX_DEADLINE, TOO_LATE) ?? DEFAULT_DEADLINE,
    ...resolveBodyLimits(options),
    dedupe: resolveDedupe(options),
    inbox: checkMethods('inbox', ['store'], inbox),
    validation: checkOneOf('validation', VALIDATION_MODES, options.validation) ?? DEFAULT_VALIDATION,
    drift: new DriftReporter(log, checkFunction('onDrift', options.onDrift)),
    events: new Map(),
    hooks: checkHooks(hookNames, options.hooks) ?? {},
    clock,
    log,
  };
}

/**
 * A name is there even if its value is undefined, which an environment variable that is not set would be: that is no
 * receiver without a secret, but one whose secret is missing. So is one that has an inbox to store deliveries in.
 */
function isForDeliveries(options: { readonly inbox?: unknown }): boolean {
  return 'secret' in options || 'verifySecret' in options || options.inbox !== undefined;
}

function resolveBodyLimits(
  options: WebhookReceiverOptions,
): Pick<ReceiverSettings, 'maxBodyBytes' | 'maxUnverifiedBytes'> {
  const maxBodyBytes = checkPositive('maxBodyBytes', options.maxBodyBytes) ?? DEFAULT_MAX_BODY_BYTES;
  const maxUnverifiedBytes =
    checkPositive('maxUnverifiedBytes', options.maxUnverifiedBytes) ??
    Math.max(DEFAULT_MAX_UNVERIFIED_BYTES, maxBodyBytes);
  if (maxUnverifiedBytes < maxBodyBytes) {
    refuseOption('maxUnverifiedBytes', `must be at least maxBodyBytes, ${maxBodyBytes}: one body has to fit`);
  }
  return { maxBodyBytes, maxUnverifiedBytes };
}

function resolveDedupe({ dedupe, inbox, clock }: WebhookReceiverOptions): DedupeSettings | undefined {
  if (dedupe === false || (inbox !== undefined && dedupe === undefined)) return undefined;
  if (inbox !== undefined) {
    refuseOption('dedupe', 'cannot be combined with `inbox`: the stored job is the claim');
  }
  // Not by `??`: null is refused, as whatever else is no object.
  const given = dedupe === undefined ? {} : dedupe;
  const options: DedupeOptions = isStore(given) ? { store: given } : given;
  refuseUnknown(options, dedupeOptions, 'dedupe');
  return {
    store:
      checkMethods('dedupe.store', ['claim', 'complete', 'release'], options.store) ??
      createMemoryDedupe({ clock }),
    window: checkPositive('dedupe.window', options.window) ?? DEFAULT_WINDOW,
    lease: checkTimeout('dedupe.lease', options.lease) ?? 10_000,
    timeout: checkTimeout('dedupe.timeout', options.timeout) ?? 5_000,
    ifUnavailable:
      checkOneOf('dedupe.ifUnavailable', ['handle', 'refuse'], options.ifUnavailable) ?? 'handle',
  };
}

function isStore(dedupe: DedupeOptions | DedupeStore): dedupe is DedupeStore {
  return typeof dedupe === 'object' && dedupe !== null && 'claim' in dedupe;
}
