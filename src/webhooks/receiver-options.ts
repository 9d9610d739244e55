import { LeveledLogger, type Logger, type LogLevel } from '../ground/logger.js';
import type { Drift } from '../validation/drift.js';
import { DriftReporter } from '../validation/drift.js';
import {
  checkFunction,
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
import { type Clock, systemClock } from './clock.js';
import type { DedupeStore } from './dedupe-store.js';
import type { WebhookInbox } from './inbox.js';
import { DEFAULT_DEADLINE, DEFAULT_LEASE, DEFAULT_MAX_BODY_BYTES, DEFAULT_WINDOW } from './limits.js';
import { createMemoryDedupe } from './memory-dedupe.js';
import { type Genuine, verifierFor, type WebhookSecretLookup, type WebhookSecrets } from './secrets.js';

/** How duplicates are recognised. */
export interface DedupeOptions {
  /** Where handled events are remembered. Default: {@link createMemoryDedupe}, for one process. */
  readonly store?: DedupeStore | undefined;
  /** Milliseconds for which a handled event is remembered. Default 24 hours. */
  readonly window?: number | undefined;
  /**
   * Milliseconds after which the claim of a process that died is free again. It is renewed while handlers run.
   * Default 10 000.
   */
  readonly lease?: number | undefined;
  /**
   * What to do with an event when the store fails: `'handle'` it, perhaps twice, or `'refuse'` it with 500, and lose it,
   * because the service does not send it again. A choice of this package. Default `'handle'`.
   */
  readonly ifUnavailable?: 'handle' | 'refuse' | undefined;
}

/** What {@link createWebhookReceiver} takes. */
export interface WebhookReceiverOptions {
  /**
   * Your workspace secret: one, a list during a rotation, a record of named workspaces, or a function that decides
   * on the presented secret.
   */
  readonly secret: WebhookSecrets | WebhookSecretLookup;
  /** Milliseconds until a delivery is answered 500. The service waits 60 seconds (document, 6.4): keep below. Default 55 000. */
  readonly deadline?: number | undefined;
  /**
   * The most bytes of a body. More is answered 413, and not read further. The size of a body that a body
   * parser has already made an object of is not known, and not checked. Default 16 MiB.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How duplicates are recognised: options, a store, or `false` to handle every copy. Not together with `inbox`.
   * Default: in the memory of this process, for 24 hours.
   */
  readonly dedupe?: DedupeOptions | DedupeStore | false | undefined;
  /** Durable storage in front of the handlers. With it, 200 means stored. */
  readonly inbox?: WebhookInbox | undefined;
  /** How strictly payloads are validated against the document. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /** Called when a payload has issues that the validation mode forgives. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /** Where time is taken from, for tests. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Where log lines go. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Refused deliveries are logged at `warn`, failures at `error`, each other delivery at `info`. Default `'warn'`.
   * Environment: `AGENT_PLATFORM_LOG`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/** How duplicates are recognised, checked and filled in. */
export interface DedupeSettings {
  readonly store: DedupeStore;
  readonly window: number;
  readonly lease: number;
  readonly ifUnavailable: 'handle' | 'refuse';
}

/** The checked options of a receiver. */
export interface ReceiverSettings {
  readonly verify: (presented: unknown) => Genuine | undefined | Promise<Genuine | undefined>;
  readonly deadline: number;
  readonly maxBodyBytes: number;
  readonly dedupe: DedupeSettings | undefined;
  readonly inbox: WebhookInbox | undefined;
  readonly validation: ValidationMode;
  readonly drift: DriftReporter;
  readonly clock: Clock;
  readonly log: LeveledLogger;
}

const receiverOptions: OptionNames<WebhookReceiverOptions> = {
  secret: true,
  deadline: true,
  maxBodyBytes: true,
  dedupe: true,
  inbox: true,
  validation: true,
  onDrift: true,
  clock: true,
  logger: true,
  logLevel: true,
};
const dedupeOptions: OptionNames<DedupeOptions> = {
  store: true,
  window: true,
  lease: true,
  ifUnavailable: true,
};

/** Checks the options of a receiver, and fills in the defaults. */
export function resolveReceiver(options: WebhookReceiverOptions): ReceiverSettings {
  refuseUnknown(options, receiverOptions);
  const { inbox } = options;
  const clock = checkMethods('clock', ['now', 'setTimeout', 'clearTimeout'], options.clock) ?? systemClock;
  const log = new LeveledLogger(checkLogger(options.logger), resolveLogLevel(options.logLevel));
  return {
    verify: verifierFor(options.secret),
    deadline: checkTimeout('deadline', options.deadline) ?? DEFAULT_DEADLINE,
    maxBodyBytes: checkPositive('maxBodyBytes', options.maxBodyBytes) ?? DEFAULT_MAX_BODY_BYTES,
    dedupe: resolveDedupe(options),
    inbox: checkMethods('inbox', ['store'], inbox),
    validation: checkOneOf('validation', VALIDATION_MODES, options.validation) ?? DEFAULT_VALIDATION,
    drift: new DriftReporter(log, checkFunction('onDrift', options.onDrift)),
    clock,
    log,
  };
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
    lease: checkTimeout('dedupe.lease', options.lease) ?? DEFAULT_LEASE,
    ifUnavailable:
      checkOneOf('dedupe.ifUnavailable', ['handle', 'refuse'], options.ifUnavailable) ?? 'handle',
  };
}

function isStore(dedupe: DedupeOptions | DedupeStore): dedupe is DedupeStore {
  return typeof dedupe === 'object' && dedupe !== null && 'claim' in dedupe;
}
