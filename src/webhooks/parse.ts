import { callerOf, forCaller, throwTo } from '../errors/caller.js';
import {
  ConfigurationError,
  UnknownEventError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from '../errors/index.js';
import { LeveledLogger } from '../ground/logger.js';
import { type Drift, DriftReporter } from '../validation/drift.js';
import {
  checkFunction,
  checkOneOf,
  checkPositive,
  type OptionNames,
  refuseOption,
  refuseUnknown,
} from '../validation/option-checks.js';
import { DEFAULT_VALIDATION, VALIDATION_MODES, type ValidationMode } from '../validation/validate.js';
import { DEFAULT_MAX_BODY_BYTES, readRequest } from './adapters.js';
import { RejectedDelivery } from './answers.js';
import { systemClock } from './clock.js';
import {
  decodeBody,
  type EventValidation,
  isInvalidEvent,
  isKnownEvent,
  parseDelivery,
  type RawDelivery,
  removeSecret,
  toEvent,
  type UnknownWebhookEvent,
} from './delivery.js';
import type { DefinedEvent, WebhookEvent, WebhookEventOf } from './events.js';
import { presentedIn } from './presented.js';
import { cachedLoader, mayBeGenuine, verifierFor, type WebhookSecretOptions } from './secret-options.js';
import { cachedVerifier, type Genuine, type Verifier, type WebhookSecrets } from './secrets.js';

/** Options of {@link parseWebhook}. */
export interface ParseWebhookOptions<Own extends DefinedEvent = never> {
  /** Your workspace secret: one, a list during a rotation, or a record of named workspaces. */
  readonly secret: WebhookSecrets;
  /** The strictness of validation against the specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /** Called when a payload has issues that the validation mode forgives. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /** Events of your own, made with {@link defineEvent}: they are validated, and returned with the documented ones. */
  readonly events?: readonly Own[] | undefined;
}

/** Options of {@link parseWebhookRequest}. */
export type ParseWebhookRequestOptions<Own extends DefinedEvent = never> = WebhookSecretOptions &
  Omit<ParseWebhookOptions<Own>, 'secret'> & {
    /** The most bytes of a `Request` that are read. Default 8 MiB. */
    readonly maxBodyBytes?: number | undefined;
  };

const parseOptions: OptionNames<ParseWebhookOptions> = {
  secret: true,
  validation: true,
  onDrift: true,
  events: true,
};
const requestOptions: OptionNames<ParseWebhookRequestOptions> = {
  secret: true,
  verifySecret: true,
  validation: true,
  onDrift: true,
  events: true,
  maxBodyBytes: true,
};
/** A documented event; or, as its definition types it, one of the user's own. */
type ParsedEvent = WebhookEvent | UnknownWebhookEvent;

interface ParseSettings extends EventValidation {
  readonly events: ReadonlyMap<string, DefinedEvent>;
}

const silent = /* @__PURE__ */ new LeveledLogger(console, 'off');

/**
 * Verifies a received webhook and returns it as a typed event, without `workspaceSecret` (specification, 6.1 to 6.4). For
 * those who bring their own server; `createWebhookReceiver` does the rest too.
 *
 * The secret is checked first, in a time that does not depend on where a wrong one differs: text that holds no genuine one
 * is not parsed. Then the payload is validated. Fields the specification does not list are kept.
 *
 * @param body - The body as a string or bytes, or the object that a body parser has made of it.
 * @returns `{ type, payload }`, and `workspace` where the secrets were named.
 * @throws {WebhookVerificationError} The secret is missing or wrong: answer 401. Anything that is not verified ends
 *   here, whatever its shape.
 * @throws {WebhookPayloadError} Nothing, cut off, or verified but not as the specification says: answer 400. Has `issues` with paths.
 * @throws {UnknownEventError} Verified, but of a type that this version does not know: `error.event` has it.
 * @throws {ConfigurationError} An option is wrong, such as an empty secret.
 *
 * @example
 * ```ts
 * import { parseWebhook } from 'agent-platform-sdk';
 *
 * export function receive(body: string): void {
 *   const event = parseWebhook(body, { secret: process.env.WORKSPACE_SECRET ?? '' });
 *   if (event.type === 'lead_captured') console.log(event.payload.leadEmail);
 * }
 * ```
 */
export function parseWebhook<const Own extends DefinedEvent = never>(
  body: unknown,
  options: ParseWebhookOptions<Own>,
): WebhookEvent | WebhookEventOf<Own> {
  // An event of the user's own is typed by its definition.
  return forCaller(parseWebhook, () => parse(body, options) as WebhookEvent);
}

function parse(body: unknown, options: ParseWebhookOptions<DefinedEvent>): ParsedEvent {
  refuseFunctions(options);
  refuseUnknown(options, parseOptions);
  const verify = cachedVerifier(options.secret);
  if (isRequest(body) || body instanceof Promise) {
    throw new ConfigurationError(
      'parseWebhook takes the body, which was read: pass `await request.text()`, or use parseWebhookRequest.',
      { option: 'body' },
    );
  }
  const validation = resolveValidation(options);
  const text = decodeBody(body);
  // A body without a genuine secret is not parsed.
  if (typeof text === 'string' && !presentsGenuine(text, verify)) throw refusal(false);
  const raw = parseRaw(text);
  return eventOf(raw, verify(raw.presented), validation);
}

/**
 * The asynchronous form of {@link parseWebhook}: for a `Request`, which is read up to `maxBodyBytes`, and for secrets
 * that a function loads (`secret`) or decides on (`verifySecret`). What a function has loaded is kept for the calls that
 * pass the same function: make it once, not for each call.
 *
 * @param received - A `Request` whose body was not read, or a body as for {@link parseWebhook}, or a promise of one:
 *   `parseWebhookRequest(request.text(), …)`.
 * @throws As {@link parseWebhook}, and what such a promise rejects with. A body that is too large or cannot be read is a `WebhookPayloadError`; a
 *   `verifySecret` that throws is a `WebhookError` with that as its `cause`. A function that loads no secret, or answers
 *   neither `true`, `false` nor `{ workspace }`, is a `ConfigurationError`: answer 500.
 *
 * @example
 * ```ts
 * import { parseWebhookRequest } from 'agent-platform-sdk';
 *
 * declare function findWorkspace(presented: string): Promise<{ workspace: string } | false>;
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const event = await parseWebhookRequest(request, { verifySecret: findWorkspace });
 *   console.log(event.type, event.workspace);
 *   return new Response();
 * }
 * ```
 */
export async function parseWebhookRequest<const Own extends DefinedEvent = never>(
  received: unknown,
  options: ParseWebhookRequestOptions<Own>,
): Promise<WebhookEvent | WebhookEventOf<Own>> {
  try {
    // As in `parseWebhook`.
    return (await parseRequest(received, options)) as WebhookEvent;
  } catch (error) {
    // Whoever awaits it.
    return throwTo(callerOf(parseWebhookRequest), error);
  }
}

async function parseRequest(
  received: unknown,
  options: ParseWebhookRequestOptions<DefinedEvent>,
): Promise<ParsedEvent> {
  refuseUnknown(options, requestOptions);
  const verify = verifierFor(options, cachedVerifier, (load) => cachedLoader(load, systemClock))();
  const validation = resolveValidation(options);
  const limit = checkPositive('maxBodyBytes', options.maxBodyBytes) ?? DEFAULT_MAX_BODY_BYTES;
  const body = await (isRequest(received) ? readWhole(received, limit) : received);
  const decoded = decodeBody(body);
  if (!(await asking(() => mayBeGenuine(decoded, verify)))) throw refusal(false);
  const raw = parseRaw(decoded);
  return eventOf(raw, await asking(() => verify(raw.presented)), validation);
}

/** Says what takes a function: it may be asynchronous, and this cannot wait. */
function refuseFunctions(options: object | undefined): void {
  // From JavaScript, there may be none: `refuseUnknown` says so.
  const { secret, verifySecret } = (options ?? {}) as { readonly [option: string]: unknown };
  const option = typeof secret === 'function' ? 'secret' : 'verifySecret';
  if (option === 'verifySecret' && verifySecret === undefined) return;
  throw new ConfigurationError(
    `${option} is a function: \`await parseWebhookRequest(body, { ${option} })\` takes one.`,
    { option },
  );
}

/** The settings of validation, checked before the body is looked at. */
function resolveValidation({
  validation,
  onDrift,
  events = [],
}: Omit<ParseWebhookOptions<DefinedEvent>, 'secret'>): ParseSettings {
  return {
    events: byType(events),
    validation: checkOneOf('validation', VALIDATION_MODES, validation) ?? DEFAULT_VALIDATION,
    drift: new DriftReporter(silent, checkFunction('onDrift', onDrift)),
  };
}

/** Refuses what `defineEvent` has not made, and a type that is defined twice. */
function byType(events: readonly DefinedEvent[]): ReadonlyMap<string, DefinedEvent> {
  const own = new Map<string, DefinedEvent>();
  // From JavaScript, it may be anything.
  for (const event of [events].flat(1) as readonly Partial<DefinedEvent>[]) {
    if (typeof event?.addTo !== 'function')
      refuseOption('events', 'must be a list of what defineEvent() has made');
    event.addTo(own);
  }
  return own;
}

function presentsGenuine(text: string, verify: Verifier): boolean {
  // Nothing is not a forgery, but a body parser that is missing.
  if (text === '') return true;
  for (const presented of presentedIn(text)) if (verify(presented) !== undefined) return true;
  return false;
}

function parseRaw(body: unknown): RawDelivery {
  const raw = parseDelivery(body);
  if (raw !== undefined) return raw;
  const message =
    body === undefined ? 'expected JSON, received nothing: is a body parser mounted?' : 'expected JSON';
  throw new WebhookPayloadError('The webhook body is not JSON', {
    issues: [{ path: [], code: 'not_json', message }],
  });
}

function eventOf(raw: RawDelivery, genuine: Genuine | undefined, settings: ParseSettings): ParsedEvent {
  if (genuine === undefined) {
    throw refusal(Object.keys(raw.payload).length === 0);
  }
  const verified = removeSecret(raw, genuine);
  const own = settings.events.get(verified.type as string);
  const event = toEvent(verified, settings, own);
  if (isInvalidEvent(event)) throw event.error;
  if (own === undefined && !isKnownEvent(event)) throw new UnknownEventError(event, verified.label);
  return event;
}

function refusal(isEmpty: boolean): WebhookVerificationError {
  const hint = isEmpty ? '\n  There is no `payload`: pass the body of the request, not the request.' : '';
  return new WebhookVerificationError(
    'The webhook was not verified: payload.workspaceSecret is missing or not your workspace secret\n' +
      '  After a rotation, `secret` takes both secrets as a list.' +
      hint,
  );
}

async function asking<Answer>(ask: () => Answer): Promise<Awaited<Answer>> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    throw new WebhookError('The webhook was not verified: `verifySecret` failed (see `error.cause`)', {
      cause,
    });
  }
}

async function readWhole(request: Request, limit: number): Promise<Uint8Array> {
  try {
    return await readRequest(request, { limit, mayHold: () => true, giveUp: undefined });
  } catch (error) {
    const code = error instanceof RejectedDelivery ? error.reason : 'body_unreadable';
    const message =
      code === 'body_too_large'
        ? `expected at most ${limit} bytes`
        : 'expected a body that was neither read before nor cut off';
    throw new WebhookPayloadError('The webhook body was not read', { issues: [{ path: [], code, message }] });
  }
}

/** No JSON value has a method, so that a parsed body is never taken for a `Request`. */
function isRequest(received: unknown): received is Request {
  return typeof (received as Partial<Request> | null | undefined)?.arrayBuffer === 'function';
}
