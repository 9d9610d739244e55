import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createWebhookReceiver,
  type DedupeStore,
  type DeliveryHookContext,
  type ReceivedWebhook,
  type StoredWebhook,
  type StoringReceiverOptions,
  type WebhookContext,
  type WebhookFailure,
  type WebhookReceiverOptions,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { onTestFinished, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { secret } from './deliveries.js';

export type Options = WebhookReceiverOptions | Partial<StoringReceiverOptions>;

/** A receiver, and all that it passes to its log and its listeners. It has no handlers. */
export function setUp(options: Options = {}) {
  const logger = new RecordingLogger();
  const rejections: WebhookRejection[] = [];
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const deliveries: DeliveryHookContext[] = [];
  const hooks = { onDelivery: (delivery: DeliveryHookContext) => void deliveries.push(delivery) };
  const own = options.verifySecret === undefined ? { secret } : {};
  // With an inbox, its type has no handlers, and tests of that register none.
  const receiver = createWebhookReceiver({ ...own, logger, hooks, ...options } as WebhookReceiverOptions)
    .onRejected((rejection) => rejections.push(rejection))
    .onError((error, failure) => failures.push([error, failure]));
  /** Delivers a body. Returns the status and the code of the response. */
  const send = async (sent: unknown) => {
    const { status, body } = await receiver.handle({ method: 'POST', body: sent });
    return body === '' ? [status] : [status, (JSON.parse(body) as { readonly code: unknown }).code];
  };
  const all = () => logger.lines.join('\n');
  const stages = () => failures.map(([, { stage }]) => stage);
  return { receiver, lines: logger.lines, all, rejections, failures, stages, deliveries, send };
}

/** The same with a handler for every event, and the events and contexts that it has got. */
export function handling(options: WebhookReceiverOptions = {}, run: () => unknown = () => undefined) {
  const made = setUp(options);
  const events: ReceivedWebhook[] = [];
  const contexts: WebhookContext[] = [];
  const handle = (event: ReceivedWebhook, context: WebhookContext) => {
    events.push(event);
    contexts.push(context);
    return run();
  };
  made.receiver.onAny(handle).onUnknown(handle);
  return { ...made, events, contexts, payloads: () => events.map(({ payload }) => payload) };
}

/** The same with an inbox in memory. */
export function storing(options: Options = {}) {
  const stored: StoredWebhook[] = [];
  const inbox = { store: async (webhook: StoredWebhook) => stored.push(webhook) };
  return { ...setUp({ inbox, ...options }), stored };
}

/** What `node:http` passes to a listener, without a connection: the parts that are used. */
export function inMemory(stream: Readable | readonly unknown[], fields: object = {}) {
  const readable = stream instanceof Readable ? stream : Readable.from(stream, { objectMode: false });
  const request = Object.assign(readable, { method: 'POST', headers: {}, ...fields });
  return { request, response: new ServerResponse(request as unknown as IncomingMessage) };
}

/** A request with a body, or one that comes bit by bit. */
export const requestOf = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request('https://receiver.test', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

export const never = () => new Promise<never>(() => undefined);
export const failing = () => Promise.reject(new Error('no'));
export const throwing = () => {
  throw new Error('no');
};

/** A store that remembers nothing. */
export const forgetful: DedupeStore = {
  claim: () => 'new',
  complete: () => undefined,
  release: () => undefined,
};

/** Lets time pass only as the test says, until it ends. Sockets and streams keep their own. */
export function fakeTime(): void {
  const toFake = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'Date',
    'performance',
  ] as const;
  vi.useFakeTimers({ toFake: [...toFake] });
  onTestFinished(() => void vi.useRealTimers());
}

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
