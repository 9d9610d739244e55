import { ConfigurationError } from '../../errors/index.js';
import type { Region } from '../../utils/regions.js';
import { unlessAborted } from '../../utils/waiting.js';
import { maskedHeaders } from '../fake/log.js';
import { describeFailure } from './connection.js';
import type { RecordedWebhook } from './recording.js';
import { redirectedTo } from './redirect.js';

/** A receiver must respond within this time (6.4). */
const DELIVERY_TIMEOUT_MS = 60_000;

/** The characters of a response body that are read, and the time for them: a body may not end. */
const MAX_RESPONSE_LENGTH = 4_096;
const MAX_BODY_MS = 1_000;

/** The headers of each event. */
export const EVENT_HEADERS = { 'content-type': 'application/json' } as const;

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
  /** The headers that it was sent with. */
  readonly headers: Readonly<Record<string, string>>;
  /** The payload, marked fields masked. */
  readonly payload: Readonly<Record<string, unknown>>;
  /**
   * `'success'` for a 200, `'refused'` for any other status. Undefined while the delivery is under way.
   *
   * `'timeout'` after 60 seconds, `'failed'` if no response came for another reason.
   */
  readonly outcome?: 'success' | 'refused' | 'timeout' | 'failed' | undefined;
  /** The receiver's status, if it responded. */
  readonly status?: number | undefined;
  /** The body of the receiver's response: its first 4,096 characters. Undefined if it did not respond. */
  readonly response?: string | undefined;
  /** The headers of the receiver's response. A receiver of this package sends the id of its logs: `x-delivery-id`. */
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Why no response came, or what failed in a receiver in process. */
  readonly error?: string | undefined;
  /** Milliseconds from posting to the response. Undefined while the delivery is under way. */
  readonly duration?: number | undefined;
}

/** How a post ended. */
export interface PostResult
  extends Pick<DeliveryRecord, 'status' | 'response' | 'responseHeaders' | 'error'> {
  readonly outcome: NonNullable<DeliveryRecord['outcome']>;
  readonly duration: number;
  /** Where a redirect leads: see {@link redirectedTo}. */
  readonly location?: string | undefined;
}

/** An event on its way to one target. */
export interface EventPost extends Pick<RecordedWebhook, 'type' | 'payload'> {
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly target: string | DeliveryTarget;
}

/**
 * Posts one event to one target, without a retry (6.1, 6.4). Never rejects.
 *
 * @param ended - Ends the post when aborted; its reason says why.
 */
export async function postEvent(
  { type, payload, secret, headers, target }: EventPost,
  ended?: AbortSignal,
): Promise<PostResult> {
  const start = Date.now();
  // A receiver in process has a made-up address.
  const address = typeof target === 'string' ? target : 'https://receiver.test/webhooks';
  const timeout = new AbortController();
  const late = new Error(`No response within ${DELIVERY_TIMEOUT_MS} ms.`);
  // Fake timers of a test advance it, unlike `AbortSignal.timeout`.
  const timer = setTimeout(() => timeout.abort(late), DELIVERY_TIMEOUT_MS);
  const signal = AbortSignal.any([timeout.signal, ...(ended === undefined ? [] : [ended])]);
  const init: RequestInit = {
    method: 'POST',
    headers: { ...EVENT_HEADERS, ...headers },
    body: JSON.stringify({ type, payload: { ...payload, workspaceSecret: secret } }),
    // Only 200 is a success (6.4), so a redirect is not followed: a choice.
    redirect: 'manual',
    signal,
  };
  try {
    const sent = typeof target === 'string' ? fetch(address, init) : target.fetch(new Request(address, init));
    // A receiver in process may ignore the signal, return no promise, or nothing.
    const response: Response | undefined = await unlessAborted(Promise.resolve(sent), signal);
    if (response === undefined) throw new Error('The receiver returned no Response.');
    const { status } = response;
    const duration = Date.now() - start;
    return {
      outcome: status === 200 ? 'success' : 'refused',
      status,
      response: await beginningOf(response),
      responseHeaders: maskedHeaders(response.headers),
      location: redirectedTo(response, address),
      duration,
    };
  } catch (error) {
    const outcome = timeout.signal.aborted ? 'timeout' : 'failed';
    const reason = describeFailure(signal.aborted ? signal.reason : error);
    return { outcome, error: reason, duration: Date.now() - start };
  } finally {
    clearTimeout(timer);
  }
}

/** The beginning of a body. Only the status counts, so it may break off. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  const timer = setTimeout(cancel, MAX_BODY_MS);
  try {
    reader = body?.getReader();
    const decoder = new TextDecoder();
    while (text.length < MAX_RESPONSE_LENGTH) {
      const part = await reader?.read();
      if (part === undefined || part.done) break;
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    // What has come is kept.
  } finally {
    clearTimeout(timer);
    cancel();
  }
  return text.slice(0, MAX_RESPONSE_LENGTH);
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
  const expected = 'an address that begins with http:// or https:// and has no password';
  const problem = `${of}: expected ${expected}, got ${JSON.stringify(text)}.`;
  throw new ConfigurationError(problem, { option: 'address' });
}
