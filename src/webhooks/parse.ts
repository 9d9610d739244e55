import * as z from 'zod/v4/mini';
import {
  ConfigurationError,
  UnknownEventError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from '../errors/index.js';
import { typeName } from '../utils/issues.js';
import { isObject, isPlain } from '../utils/json.js';
import { isThenable } from '../utils/waiting.js';
import { checkOptions, wholeNumber } from '../validation/check-options.js';
import type { Drift } from '../validation/drift.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES } from '../validation/validate.js';
import { type AuthenticBody, authenticate, authenticateSync } from './authenticate.js';
import { decodeBody, isBytes } from './body/decode.js';
import { gunzip } from './body/gunzip.js';
import { DEFAULT_MAX_BODY_BYTES } from './body/reading.js';
import { isStream, readStream } from './body/streams.js';
import { secretOptions, validationOptions, type WebhookEventOptions } from './event-options.js';
import { isWebhookEventType, type WebhookEvent } from './events/table.js';
import { Rejection } from './outcomes.js';
import {
  type EventValidation,
  isInvalidEvent,
  labelOf,
  removeSecret,
  toEvent,
  type UnknownWebhookEvent,
} from './payload.js';
import { ownersOf, type WebhookSecrets } from './secrets/known.js';
import { SecretLoader, type WebhookSecretLoader } from './secrets/loader.js';
import {
  knownSecrets,
  resolveSecrets,
  secretProblems,
  type WebhookSecretOptions,
} from './secrets/resolve.js';
import { isRequest, readRequest } from './servers/web.js';

/** Options of {@link parseWebhook}. */
export interface ParseWebhookOptions extends WebhookEventOptions {
  /**
   * Sets your workspace secret: one, a list during a rotation, or an object keyed by workspace name.
   *
   * Read in each call: for thousands of workspaces, {@link createWebhookReceiver} reads them once.
   *
   * Environment: `AGENT_PLATFORM_WEBHOOK_SECRET`, several separated by commas.
   */
  readonly secret?: WebhookSecrets | undefined;
}

/** Options of {@link parseWebhookRequest}. */
export interface ParseWebhookRequestOptions extends WebhookSecretOptions, WebhookEventOptions {
  /** Limits the bytes of a `Request` that are read. Default 8 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * Verifies a webhook and returns it as a typed event, without `workspaceSecret` (specification, 6).
 *
 * Use it in your own request handling; `createWebhookReceiver` also reads, deduplicates and responds. The
 * secret is checked first, in constant time: text without a valid secret is not parsed. Then the payload is
 * validated. Fields that the specification does not list are kept.
 *
 * @param body - The body as a string or bytes, or the object that a body parser has made of it.
 * @returns `{ type, payload }`, and `workspace` if the secrets are named.
 * @throws {WebhookVerificationError} The secret is missing or wrong, even if the rest is invalid too: respond
 *   with 401.
 * @throws {WebhookPayloadError} The body is empty or truncated, or is verified but does not match the
 *   specification: respond with 400. `issues` has the paths.
 * @throws {UnknownEventError} The event is verified, but this version does not know its type: see
 *   `error.event`.
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
  // Functions that verify or load may be asynchronous. Checked first, as the likely mistake.
  const given: WebhookSecretOptions = options;
  if (typeof given?.secret === 'function' || given?.verifySecret !== undefined) {
    const option = given.verifySecret === undefined ? 'secret' : 'verifySecret';
    refuse(option, 'cannot be a function, because parseWebhook is synchronous. Use parseWebhookRequest.');
  }
  checkParsing(options);
  if (isRequest(body) || isThenable(body) || isStream(body)) {
    refuse('body', 'must have been read. Pass `await request.text()`, or use parseWebhookRequest.');
  }
  const findOwner = ownersOf(knownSecrets(options.secret));
  try {
    return eventOf(authenticateSync(decodeBody(body), findOwner), options);
  } catch (error) {
    throw error instanceof Rejection ? refusalOf(error, body) : error;
  }
}

/**
 * Does the same as {@link parseWebhook} for a `Request`, or with a function for the secret.
 *
 * What a function has loaded is kept for later calls with the same function: make it once, not for each call.
 *
 * @param received - A `Request` or a Web stream that was not read, or a body as for {@link parseWebhook}, or
 *   a promise of one: `parseWebhookRequest(request.text(), …)`.
 * @throws As {@link parseWebhook}, and what such a promise rejects with. A body that is too large or cannot
 *   be read is a `WebhookPayloadError`. A `verifySecret` or a loader that fails is a `WebhookError` with that
 *   as its `cause`; one that returns something wrong is a `ConfigurationError`: respond with 500.
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
  requestOptions ??= z.strictObject({
    ...secretOptions(),
    ...validationOptions(),
    maxBodyBytes: z.optional(wholeNumber(1)),
  });
  checkOptions(requestOptions, options, { of: 'parseWebhookRequest' }, () => secretProblems(options));
  const finder = resolveSecrets(options, keptLoader)();
  const body = await readWhole(received, options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const authentic = await authenticate(
    decodeBody(body, isRequest(received) ? received.headers : undefined),
    finder,
  ).catch((error: unknown) => {
    if (error instanceof Rejection) throw refusalOf(error, body);
    if (error instanceof WebhookError || error instanceof ConfigurationError) throw error;
    const message = 'The webhook was not verified: `verifySecret` failed (see `error.cause`).';
    throw new WebhookError(message, { cause: error });
  });
  return eventOf(authentic, options);
}

/** Made by the first call: a schema costs ten times as much as a verification. */
let requestOptions: z.core.$ZodType | undefined;

const loaders = /* @__PURE__ */ new WeakMap<WebhookSecretLoader, SecretLoader>();

/** Returns the loader of a function, with what it has loaded in earlier calls. */
function keptLoader(load: WebhookSecretLoader): SecretLoader {
  const loader = loaders.get(load) ?? new SecretLoader(load, () => undefined);
  loaders.set(load, loader);
  return loader;
}

/** Checks by hand: `checkOptions` would add a sixth to the bundle of a program that only parses. */
function checkParsing(options: ParseWebhookOptions): void {
  if (!isPlain(options as unknown))
    refuse('options', `must be an object, got ${typeName(options)}. Pass { secret }.`);
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

/** Turns the rejection of a body into the error for the caller. */
function refusalOf({ reason, hint }: Rejection, body: unknown): WebhookError {
  if (reason === 'not_json') {
    const received = body === undefined ? ', received nothing: is a body parser mounted?' : '';
    const where = hint === undefined ? '' : `. ${hint}`;
    return unreadable('The webhook body is not JSON', 'not_json', `expected JSON${received}${where}`);
  }
  const hasPayload = !isObject(body) || isBytes(body) || 'payload' in body;
  return new WebhookVerificationError(
    `The webhook was not verified\n  ${hint}\n  During a rotation, pass both secrets as a list in \`secret\`.` +
      (hasPayload ? '' : '\n  There is no `payload`: pass the body of the request, not the request.'),
  );
}

async function readWhole(received: unknown, limit: number): Promise<unknown> {
  const reading = { limit };
  let body = await received;
  try {
    if (isRequest(body)) body = await readRequest(body, reading);
    else if (isStream(body)) body = await readStream(body, reading);
    return await gunzip(body, reading);
  } catch (error) {
    const code = error instanceof Rejection ? error.reason : 'body_unreadable';
    const message =
      code === 'body_too_large'
        ? `expected at most ${limit} bytes`
        : 'expected a body that was neither read before nor cut off';
    throw unreadable('The webhook body was not read', code, message);
  }
}

function unreadable(summary: string, code: string, message: string): WebhookPayloadError {
  return new WebhookPayloadError(summary, { issues: [{ path: [], code, message }] });
}

function eventOf(
  authentic: AuthenticBody,
  { validation = DEFAULT_VALIDATION, onDrift }: WebhookEventOptions,
): WebhookEvent {
  const settings: EventValidation = { validation, drift: { report: (drift) => callQuietly(onDrift, drift) } };
  const { event } = toEvent(removeSecret(authentic, settings), settings);
  if (isInvalidEvent(event)) throw event.error;
  if (isKnown(event)) return event;
  throw new UnknownEventError(event, labelOf(event.type, event.workspace));
}

/** Parsing logs nothing, so what the hook throws is ignored: without a logger, the bundle is half a kilobyte smaller. */
async function callQuietly(onDrift: WebhookEventOptions['onDrift'], drift: Drift): Promise<void> {
  try {
    await onDrift?.(drift);
  } catch {
    // The event is right, whatever its observer does.
  }
}

/** A type guard, because the types of unknown events include the known ones. */
function isKnown(event: WebhookEvent | UnknownWebhookEvent): event is WebhookEvent {
  return isWebhookEventType(event.type);
}
