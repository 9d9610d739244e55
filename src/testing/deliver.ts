import { formsOf, MASK, withoutForms } from '../ground/echoes.js';
import type { Clock } from '../webhooks/clock.js';
import { targetAddress } from './hosts.js';

/** The service gives a receiver this long (specification, 6.4). */
const DELIVERY_TIMEOUT = 60_000;

/** Anything that takes a `Request`: a webhook receiver, a Hono app, a Worker. */
export interface DeliveryTarget {
  /** Takes a delivery as a request, and answers it. */
  fetch(request: Request): Response | Promise<Response>;
}

/** One delivery and its outcome. There is no second attempt (6.4). */
export interface DeliveryRecord {
  /** `delivery_1`: tells it from the others. */
  readonly id: string;
  /** Time of posting: milliseconds since the Unix epoch, by the fake's clock. */
  readonly at: number;
  /** The type of the event that was sent. */
  readonly type: string;
  /** The address it went to; `'receiver'` for a receiver in process. */
  readonly address: string;
  /** A subscription, or the agent's `advanced.serverUrl` (6.3, rule 1). */
  readonly via: 'subscription' | 'agent';
  /**
   * `'success'` for a 200, and for nothing else; `'refused'` for any other status; `'timeout'` after 60 seconds;
   * `'failed'` where no answer came.
   */
  readonly outcome: 'success' | 'refused' | 'timeout' | 'failed';
  /** The receiver's status, where it answered. */
  readonly status: number | undefined;
  /** The receiver's body, its first 4096 characters, `workspaceSecret` masked; undefined where it did not answer. */
  readonly answer: string | undefined;
  /** Why no answer came, `workspaceSecret` masked. */
  readonly error: string | undefined;
  /** The payload as sent, `workspaceSecret` masked. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Milliseconds from sending to the answer. */
  readonly duration: number;
}

/** The length of a receiver's body that is kept. */
const MAX_ANSWER = 4_096;

/** An event on its way to one target. */
export interface EventPost {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Fields of the envelope beside `type` and `payload`, where a recorded one is posted again. */
  readonly envelope?: Readonly<Record<string, unknown>> | undefined;
  readonly secret: string;
  readonly target: string | DeliveryTarget;
  readonly via: DeliveryRecord['via'];
}

/** Posts one event once (6.1, 6.4), and never rejects. */
export async function deliver(event: EventPost, clock: Clock, id = 'delivery_1'): Promise<DeliveryRecord> {
  const { type, target, via } = event;
  const address = typeof target === 'string' ? target : 'receiver';
  const payload = { ...event.payload, workspaceSecret: MASK };
  const at = clock.now();
  const result = await post(event, clock);
  return { id, at, type, address, via, payload, duration: clock.now() - at, ...result };
}

type Result = Pick<DeliveryRecord, 'outcome' | 'status' | 'answer' | 'error'>;

async function post(event: EventPost, clock: Clock): Promise<Result> {
  const controller = new AbortController();
  const expired = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const timer = clock.setTimeout(() => controller.abort(), DELIVERY_TIMEOUT);
  const withoutSecret = (text: string, isCut = false): string =>
    withoutForms(text, formsOf([event.secret]), isCut);
  try {
    // A receiver in process may ignore the signal, so the time is held here.
    const response = await Promise.race([sendTo(event, controller.signal), expired]);
    if (response === undefined) return noAnswer('timeout', `no answer within ${DELIVERY_TIMEOUT} ms`);
    // The status alone decides; a body that does not end is left after the same time.
    const { text, isCut } = (await Promise.race([readStart(response), expired])) ?? NOTHING;
    const { status } = response;
    const answer = withoutSecret(text, isCut).slice(0, MAX_ANSWER);
    return { outcome: status === 200 ? 'success' : 'refused', status, answer, error: undefined };
  } catch (error) {
    return noAnswer('failed', withoutSecret(textOf(error)));
  } finally {
    clock.clearTimeout(timer);
  }
}

function noAnswer(outcome: 'timeout' | 'failed', error: string): Result {
  return { outcome, status: undefined, answer: undefined, error };
}

/** What was read of a body: where that is not the whole, it may end within the secret. */
interface Read {
  readonly text: string;
  readonly isCut: boolean;
}

const NOTHING: Read = { text: '', isCut: false };

/** Reads the first part of a body, and no more. A body that breaks off counts as far as it came. */
async function readStart({ body }: Response): Promise<Read> {
  if (body === null) return NOTHING;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    // A secret that stands across the limit must be found whole.
    while (text.length < 2 * MAX_ANSWER) {
      const { done, value } = await reader.read();
      if (done) return { text, isCut: false };
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
  } catch {
    // The status has come, and it alone counts.
  }
  return { text, isCut: true };
}

async function sendTo(
  { type, payload, envelope, secret, target }: EventPost,
  signal: AbortSignal,
): Promise<Response> {
  const init: RequestInit = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...envelope, type, payload: { ...payload, workspaceSecret: secret } }),
    // 200 alone is success, so where a redirect leads to does not matter.
    redirect: 'manual',
    signal,
  };
  if (typeof target === 'string') return fetch(targetAddress('the target', target), init);
  return target.fetch(new Request('https://receiver.test/webhooks', init));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
