import * as z from 'zod/mini';
import {
  ConfigurationError,
  UnknownEventError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from '../errors/index.js';
import { isObject } from '../utils/json.js';
import { LeveledLogger } from '../utils/logger.js';
import { DriftReporter } from '../validation/drift.js';
import { checkOptions, wholeNumber } from '../validation/options.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES } from '../validation/validate.js';
import { DEFAULT_MAX_BODY_BYTES, isStream, readRequest, readStream } from './adapters/node.js';
import { isWebhookEventType, type WebhookEvent } from './events.js';
import { secretOptions, validationOptions, type WebhookEventOptions } from './options.js';
import { Rejection } from './outcomes.js';
import {
  decodeBody,
  type EventValidation,
  isInvalidEvent,
  labelOf,
  type ParsedBody,
  parseBody,
  removeSecret,
  toEvent,
  type UnknownWebhookEvent,
} from './payload.js';
import {
  containsSecret,
  knownSecrets,
  resolveSecrets,
  SecretLoader,
  type SecretOwner,
  secretProblems,
  secretsIn,
  verifierOf,
  type WebhookSecretLoader,
  type WebhookSecretOptions,
  type WebhookSecrets,
} from './secrets/known.js';

/** Options of {@link parseWebhook}. */
export interface ParseWebhookOptions extends WebhookEventOptions {
  /**
   * Your workspace secret: one, a list during a rotation, or a record of named workspaces. A list or a record is read once: to change the
   * secrets, pass another. Environment: `AGENT_PLATFORM_WEBHOOK_SECRET`, several separated by commas.
   */
  readonly secret?: WebhookSecrets | undefined;
}

/** Options of {@link parseWebhookRequest}. */
export interface ParseWebhookRequestOptions extends WebhookSecretOptions, WebhookEventOptions {
  /** The most bytes of a `Request` that are read. Default 8 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

const silent = /* @__PURE__ */ new LeveledLogger(console, 'off');

/**
 * Verifies a received webhook and returns it as a typed event, without `workspaceSecret` (specification, 6.1 to 6.4).
 *
 * For your own server; `createWebhookReceiver` does the rest too. The secret is checked first, in constant time: a text without a valid
 * secret is not parsed. Then the payload is validated. Fields that the specification does not list are kept.
 *
 * @param body - The body as a string or bytes, or the object that a body parser has made of it.
 * @returns `{ type, payload }`, and `workspace` if the secrets are named.
 * @throws {WebhookVerificationError} The secret is missing or wrong: respond with 401. Anything that is not verified ends here,
 *   whatever its shape.
 * @throws {WebhookPayloadError} Empty, cut off, or verified but not as the specification says: respond with 400. Has `issues` with paths.
 * @throws {UnknownEventError} Verified, but of a type that this version does not know: `error.event` has it.
 * @throws {ConfigurationError} An option is wrong, such as an empty secret.
 *
 * @example
 * ```ts
 * import { parseWebhook } from 'agent-platform-sdk';
 *
 * export function receive(body: string): void {
 *   const event = parseWebhook(body, { secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
 *   if (event.type === 'lead_captured') console.log(event.payload.leadEmail);
 * }
 * ```
 */
export function parseWebhook(body: unknown, options: ParseWebhookOptions = {}): WebhookEvent {
  // Functions that verify or load may be asynchronous. They are named before other options, because they are the likely mistake.
  const given: WebhookSecretOptions = options;
  if (typeof given?.secret === 'function' || given?.verifySecret !== undefined) {
    const option = given.verifySecret === undefined ? 'secret' : 'verifySecret';
    throw new ConfigurationError(
      `parseWebhook takes no function as ${option}, because it is synchronous: use parseWebhookRequest.`,
      { option },
    );
  }
  checkParsing(options);
  if (isRequest(body) || body instanceof Promise || isStream(body)) {
    throw new ConfigurationError(
      'parseWebhook takes a body that was read: pass `await request.text()`, or use parseWebhookRequest.',
      { option: 'body' },
    );
  }
  const verify = keptVerifier(knownSecrets(options, options.secret));
  const text = decodeBody(body);
  if (typeof text === 'string' && text !== '' && !hasSecret(text, verify)) throw refusal(undefined);
  const parsed = parsedOrThrow(text);
  return eventOf(parsed, verify(parsed.secret), validationOf(options));
}

/**
 * The asynchronous form of {@link parseWebhook}: for a `Request`, and for secrets that a function loads or verifies.
 *
 * What a function has loaded is kept for the calls that pass the same function: make it once, not for each call.
 *
 * @param received - A `Request` or a Web stream that was not read, or a body as for {@link parseWebhook}, or a promise of one:
 *   `parseWebhookRequest(request.text(), …)`.
 * @throws As {@link parseWebhook}, and what such a promise rejects with. A body that is too large or cannot be read is a
 *   `WebhookPayloadError`. A `verifySecret` or a loader that fails is a `WebhookError` with that as its `cause`; one that returns something
 *   wrong is a `ConfigurationError`: respond with 500.
 *
 * @example
 * ```ts
 * import { parseWebhookRequest } from 'agent-platform-sdk';
 *
 * declare function findWorkspace(candidate: string): Promise<{ workspace: string } | false>;
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = await parseWebhookRequest(request, { verifySecret: findWorkspace });
 *   console.log(event.type, event.workspace);
 *   return new Response();
 * }
 * ```
 */
export async function parseWebhookRequest(
  received: unknown,
  options: ParseWebhookRequestOptions = {},
): Promise<WebhookEvent> {
  const schema = z.strictObject({
    ...secretOptions,
    ...validationOptions,
    maxBodyBytes: z.optional(wholeNumber(1)),
  });
  checkOptions(
    schema,
    options,
    { of: 'parseWebhookRequest' },
    isObject(options) ? secretProblems(options) : [],
  );
  const verify = resolveSecrets(options, { known: keptVerifier, loader: keptLoader })();
  const body = decodeBody(await readWhole(received, options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES));
  if (typeof body === 'string' && body !== '' && !(await verifying(() => containsSecret(body, verify)))) {
    throw refusal(undefined);
  }
  const parsed = parsedOrThrow(body);
  return eventOf(parsed, await verifying(() => verify(parsed.secret)), validationOf(options));
}

// Verifiers are kept between calls: making one costs more than a verification.

const verifiers = /* @__PURE__ */ new WeakMap<object, ReturnType<typeof verifierOf>>();
const loaders = /* @__PURE__ */ new WeakMap<WebhookSecretLoader, SecretLoader>();
let latest: { readonly secret: string; readonly verify: ReturnType<typeof verifierOf> } | undefined;

function keptVerifier(secrets: WebhookSecrets | undefined): ReturnType<typeof verifierOf> {
  if (typeof secrets === 'string') {
    if (latest?.secret !== secrets) latest = { secret: secrets, verify: verifierOf(secrets) };
    return latest.verify;
  }
  // From JavaScript it may be anything, which `verifierOf` refuses.
  if (!isObject(secrets) && !Array.isArray(secrets)) return verifierOf(secrets);
  const verify = verifiers.get(secrets) ?? verifierOf(secrets);
  verifiers.set(secrets, verify);
  return verify;
}

function keptLoader(load: WebhookSecretLoader): SecretLoader {
  const loader = loaders.get(load) ?? new SecretLoader(load, () => undefined);
  loaders.set(load, loader);
  return loader;
}

function hasSecret(text: string, verify: (candidate: unknown) => SecretOwner | undefined): boolean {
  for (const candidate of secretsIn(text)) if (verify(candidate) !== undefined) return true;
  return false;
}

/** Runs a verification. What a function for secrets throws becomes the cause of a `WebhookError`. */
async function verifying<Answer>(verify: () => Answer): Promise<Awaited<Answer>> {
  try {
    return await verify();
  } catch (cause) {
    if (cause instanceof WebhookError || cause instanceof ConfigurationError) throw cause;
    throw new WebhookError('The webhook was not verified: `verifySecret` failed (see `error.cause`).', {
      cause,
    });
  }
}

/** By hand, because `checkOptions` would add a sixth to the bundle of a program that only parses. */
function checkParsing(options: ParseWebhookOptions): void {
  const { secret, validation, onDrift, ...unknown } = options;
  const [name] = Object.keys(unknown);
  if (name !== undefined) refuse(name, 'is not a known option. Known: secret, validation, onDrift.');
  if (validation !== undefined && !VALIDATION_MODES.includes(validation)) {
    refuse('validation', `must be one of ${VALIDATION_MODES.join(', ')}.`);
  }
  if (onDrift !== undefined && typeof onDrift !== 'function') refuse('onDrift', 'must be a function.');
}

function refuse(option: string, problem: string): never {
  throw new ConfigurationError(`parseWebhook: ${option} ${problem}`, { option });
}

function validationOf({ validation = DEFAULT_VALIDATION, onDrift }: WebhookEventOptions): EventValidation {
  return { validation, drift: new DriftReporter(silent, onDrift) };
}

function parsedOrThrow(body: unknown): ParsedBody {
  const parsed = parseBody(body);
  if (parsed !== undefined) return parsed;
  const hint =
    body === undefined ? 'expected JSON, received nothing: is a body parser mounted?' : 'expected JSON';
  throw unreadable('The webhook body is not JSON', 'not_json', hint);
}

function eventOf(
  parsed: ParsedBody,
  owner: SecretOwner | undefined,
  validation: EventValidation,
): WebhookEvent {
  if (owner === undefined) throw refusal(parsed);
  const event = toEvent(removeSecret(parsed, owner, validation), validation);
  if (isInvalidEvent(event)) throw event.error;
  if (isKnown(event)) return event;
  throw new UnknownEventError(event, labelOf(event.type, event.workspace));
}

/** A type guard, because the types of unknown events include the known ones. */
function isKnown(event: WebhookEvent | UnknownWebhookEvent): event is WebhookEvent {
  return isWebhookEventType(event.type);
}

function refusal(parsed: ParsedBody | undefined): WebhookVerificationError {
  const isEmpty = parsed !== undefined && Object.keys(parsed.payload).length === 0;
  return new WebhookVerificationError(
    'The webhook was not verified: payload.workspaceSecret is missing or not your workspace secret\n' +
      '  After a rotation, `secret` takes both secrets as a list.' +
      (isEmpty ? '\n  There is no `payload`: pass the body of the request, not the request.' : ''),
  );
}

async function readWhole(received: unknown, limit: number): Promise<unknown> {
  try {
    if (isRequest(received)) return await readRequest(received, { limit });
    if (isStream(received)) return await readStream(received, { limit });
  } catch (error) {
    const code = error instanceof Rejection ? error.reason : 'body_unreadable';
    const message =
      code === 'body_too_large'
        ? `expected at most ${limit} bytes`
        : 'expected a body that was neither read before nor cut off';
    throw unreadable('The webhook body was not read', code, message);
  }
  return await received;
}

function unreadable(summary: string, code: string, message: string): WebhookPayloadError {
  return new WebhookPayloadError(summary, { issues: [{ path: [], code, message }] });
}

/** No JSON value has a method, so a parsed body is never taken for a `Request`. */
function isRequest(received: unknown): received is Request {
  return typeof (received as Partial<Request> | null | undefined)?.arrayBuffer === 'function';
}
