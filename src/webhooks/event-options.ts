import * as z from 'zod/v4/mini';
import { createLogger, type LeveledLogger, type Logger, type LogLevel } from '../utils/logger.js';
import { func, oneOf } from '../validation/check-options.js';
import { type Drift, DriftReporter } from '../validation/drift.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import type { EventValidation } from './payload.js';

/** Options for the validation of events. */
export interface WebhookEventOptions {
  /** Sets how strictly events are validated. Default `'tolerant'`: see {@link ValidationMode}. */
  readonly validation?: ValidationMode | undefined;
  /** Is called when an event does not match the API specification, but is passed on. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
}

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

/** Resolves the options of validation and of the log. */
export function resolveEvents(
  options: WebhookEventOptions & {
    readonly logger?: Logger | undefined;
    readonly logLevel?: LogLevel | undefined;
  },
): EventValidation & { readonly log: LeveledLogger } {
  const { validation = DEFAULT_VALIDATION, onDrift, logger, logLevel } = options;
  const log = createLogger(logger, logLevel);
  return { validation, drift: new DriftReporter(log, onDrift), log };
}
