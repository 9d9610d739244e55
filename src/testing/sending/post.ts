import { ConfigurationError } from '../../errors/index.js';
import { redact } from '../../utils/redact.js';
import type { Region } from '../../utils/regions.js';
import { unlessAborted } from '../../utils/waiting.js';
import type { RecordedWebhook } from './recording.js';

/** A receiver must respond within this time (6.4). */
const DELIVERY_TIMEOUT_MS = 60_000;

/** The characters of a response body that are kept. */
const MAX_RESPONSE_LENGTH = 4_096;

/** Anything that takes a `Request`: a webhook receiver, a Hono app, a Worker. */
export interface DeliveryTarget {
  /** Takes a delivery as a request, and returns its response. */
  fetch(request: Request): Response | Promise<Response>;
}

/** One delivery and its outcome. There is no automatic retry (6.4). */
export interface DeliveryRecord {
  /** `delivery_1`. */
  readonly id: string;
  /** Time of posting, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The type of the event. */
  readonly type: string;
  /** The region whose event it is. */
  readonly region: Region;
  /** The id of the workspace whose secret it carried; undefined if it was forged. */
  readonly secretOf: string | undefined;
  /** The address it went to; `'receiver'` for a receiver in process. */
  readonly address: string;
  /** A subscription, or the agent's `advanced.serverUrl` (6.3, rule 1). */
  readonly via: 'subscription' | 'agent';
  /**
   * `'success'` for a 200 only; `'refused'` for any other status; `'timeout'` after 60 seconds;
   * `'failed'` if no response came. Undefined while it is under way.
   */
  readonly outcome: 'success' | 'refused' | 'timeout' | 'failed' | undefined;
  /** The receiver's status, if it responded. */
  readonly status: number | undefined;
  /** The body of the receiver's response, its first 4,096 characters; undefined if it did not respond. */
  readonly response: string | undefined;
  /** The reason why no response came, or what failed in a receiver in process. */
  readonly error: string | undefined;
  /** The payload, marked fields masked. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Milliseconds from posting to the response; undefined while it is under way. */
  readonly duration: number | undefined;
}

/** What a post came to, whoever sent it. */
export interface PostedEvent
  extends Pick<DeliveryRecord, 'at' | 'type' | 'address' | 'via' | 'payload'>,
    PostResult {
  readonly duration: number;
}

interface PostResult extends Pick<DeliveryRecord, 'status' | 'response' | 'error'> {
  readonly outcome: NonNullable<DeliveryRecord['outcome']>;
}

/** An event on its way to one target. */
export interface EventPost extends Pick<RecordedWebhook, 'type' | 'payload'> {
  readonly secret: string;
  readonly target: string | DeliveryTarget;
  readonly via: DeliveryRecord['via'];
}

/** Where an event goes to. */
export function addressOf({ target }: EventPost): string {
  return typeof target === 'string' ? target : 'receiver';
}

/** The payload of an event as records show it, with its secret, masked. */
export function maskedPayload({ payload, secret }: EventPost): DeliveryRecord['payload'] {
  // `redact` of an object returns an object.
  return redact({ ...payload, workspaceSecret: secret }) as DeliveryRecord['payload'];
}

/**
 * Posts one event to one target, without a retry (6.1, 6.4). Never rejects.
 *
 * @param ended - Ends the post when aborted; its reason says why.
 */
export async function postEvent(event: EventPost, ended?: AbortSignal): Promise<PostedEvent> {
  const { type, via } = event;
  const at = Date.now();
  const payload = maskedPayload(event);
  const result = await postOnce(event, ended);
  return { at, type, address: addressOf(event), via, payload, duration: Date.now() - at, ...result };
}

async function postOnce(
  { type, payload, secret, target }: EventPost,
  ended?: AbortSignal,
): Promise<PostResult> {
  // Fake timers of a test advance it, unlike `AbortSignal.timeout`.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), DELIVERY_TIMEOUT_MS);
  const end = (): void => controller.abort();
  ended?.addEventListener('abort', end);
  const { signal } = controller;
  const init: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, payload: { ...payload, workspaceSecret: secret } }),
    // Only 200 is a success (6.4), so a redirect is not followed: a choice.
    redirect: 'manual',
    signal,
  };
  try {
    // A receiver in process may ignore the signal.
    const response = await unlessAborted(sendTo(target, init), signal);
    const { status } = response;
    // Only the status counts: the body may break off, or not end.
    const body = await unlessAborted(response.text(), signal).catch(() => '');
    const outcome = status === 200 ? 'success' : 'refused';
    return { outcome, status, response: body.slice(0, MAX_RESPONSE_LENGTH), error: undefined };
  } catch (error) {
    const isTimeout = signal.aborted && ended?.aborted !== true;
    const outcome = isTimeout ? 'timeout' : 'failed';
    const cause: unknown = ended?.aborted === true ? ended.reason : error;
    const reason = isTimeout ? `no response within ${DELIVERY_TIMEOUT_MS} ms` : describeFailure(cause);
    return { outcome, status: undefined, response: undefined, error: reason };
  } finally {
    clearTimeout(timer);
    ended?.removeEventListener('abort', end);
  }
}

async function sendTo(target: string | DeliveryTarget, init: RequestInit): Promise<Response> {
  if (typeof target === 'string') return fetch(target, init);
  return target.fetch(new Request('https://receiver.test/webhooks', init));
}

/** Describes what was thrown, with its cause. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of a name with several addresses, `fetch` throws an error without a message around one for each
  // (nodejs/undici#1602).
  const cause: unknown = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return `${code}. Does it speak http: and not https:?`;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

/**
 * The URL of an address that webhooks can be posted to.
 *
 * @throws {ConfigurationError} If it is not an `http:` or `https:` address, or has a user name or a password.
 */
export function targetAddress(of: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== undefined && isHttp && url.username === '' && url.password === '') return url.href;
  throw new ConfigurationError(
    `${of}: expected an http: or https: address without user name and password, got ${JSON.stringify(text)}.`,
    { option: 'address' },
  );
}
