/**
 * The receiver of webhooks. A delivery goes through these stages, in this order:
 *
 * 1. `adapters.ts` turns a server's request into a method and a way to read the body. `unverified-bodies.ts` bounds the memory of
 *    all bodies that are not verified yet.
 * 2. `pipeline.ts` takes the delivery from there to its answer, and ends it at the deadline. It calls the stages below.
 * 3. `presented.ts` looks for a genuine secret in the text of the body, which is not parsed without one. `secret-options.ts` says
 *    what is genuine: known secrets (`secrets.ts`), those that a function loads (`secret-loader.ts`), or what `verifySecret` takes.
 *    Then `delivery.ts` parses the body to a *raw* delivery. Once its secret is found genuine and taken out, it is *verified*.
 * 4. With an inbox (`inbox.ts`) a verified delivery is stored now, and goes on when a worker takes it out.
 * 5. `delivery.ts` holds it against the table in `events.ts`: it becomes an *event*, if only an invalid or unknown one.
 * 6. `dedupe-key.ts` and `claims.ts` let one copy of the event through; the others wait for its end. With `newestOnly`, `turns.ts`
 *    lets one snapshot of a conversation through at a time.
 * 7. `handlers.ts` runs the registered handlers.
 * 8. `delivery-reports.ts` tells the log and the listeners, and `answers.ts` turns the outcome into the answer.
 */
import { forCaller } from '../errors/caller.js';
import { typeName } from '../ground/issues.js';
import type { Later } from '../ground/later.js';
import { describeThrown } from '../ground/logger.js';
import { refuseOption } from '../validation/option-checks.js';
import {
  answerNode,
  type NodeRequest,
  type NodeResponse,
  parsedBody,
  readNode,
  readRequest,
  toResponse,
} from './adapters.js';
import type { WebhookResponse } from './answers.js';
import { Claims } from './claims.js';
import type { InvalidWebhookEvent, UnknownWebhookEvent } from './delivery.js';
import { DeliveryReports } from './delivery-reports.js';
import {
  type DefinedEvent,
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEvents,
} from './events.js';
import {
  Handlers,
  type WebhookContext,
  type WebhookFailure,
  type WebhookHandler,
  type WebhookRejection,
} from './handlers.js';
import { processStored, type StoredWebhook } from './inbox.js';
import { mountingHint } from './mounting.js';
import { observeDelivery, observeJob } from './observe.js';
import { Pipeline, type PipelineParts, type ReadBody } from './pipeline.js';
import {
  type ReceiverSettings,
  resolveReceiver,
  type WebhookProcessingOptions,
  type WebhookReceiverOptions,
} from './receiver-options.js';
import { UnverifiedBodies } from './unverified-bodies.js';

/** A request as any server can describe it. Fastify's and Koa's request objects are one as they are. */
export interface WebhookRequest {
  /** The HTTP method; any other than POST is refused, and none too. */
  readonly method?: string | undefined;
  /**
   * Not looked at: the specification shows no header that verifies a webhook (6.4), and no content type refuses a body
   * that is JSON.
   */
  readonly headers?: unknown;
  /** The body as a string or bytes, or the object that a body parser has made of it. */
  readonly body?: unknown;
}

/** Takes deliveries of webhooks: verifies, validates, recognises duplicates, runs handlers, answers. */
export class WebhookReceiver {
  readonly #handlers = new Handlers();
  readonly #parts: PipelineParts;

  /** Use {@link createWebhookReceiver}. */
  constructor(options: WebhookReceiverOptions | WebhookProcessingOptions) {
    const settings = resolveReceiver(options);
    const { dedupe, clock, log, maxUnverifiedBytes } = settings;
    this.#parts = {
      settings,
      handlers: this.#handlers,
      reports: new DeliveryReports(log, this.#handlers),
      claims: dedupe === undefined ? undefined : new Claims(dedupe, clock),
      unverified: new UnverifiedBodies(maxUnverifiedBytes, () => clock.now()),
    };
  }

  /**
   * Registers a handler for one event type: the name of a documented one, or one of your own, made with {@link defineEvent}. Several for
   * one type run side by side, and each runs whatever the others do.
   *
   * @throws {ConfigurationError} This version knows no such event type: that would be for `onUnknown`, or for `defineEvent`. Or the
   *   same type was defined twice.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).on(
   *   'lead_captured',
   *   ({ payload }, { deliveryId }) => console.log(deliveryId, payload.leadEmail),
   * );
   * ```
   */
  on<Type extends WebhookEventType | DefinedEvent>(
    type: Type,
    handler: (event: WebhookEventOf<Type>, context: WebhookContext) => unknown,
  ): this {
    refuseWithInbox('on', this.#parts.settings);
    const own = (type as Partial<DefinedEvent> | null | undefined)?.addTo?.(this.#parts.settings.events);
    if (own === undefined && !isWebhookEventType(type as string)) {
      const known = Object.keys(webhookEvents).join(', ');
      refuseOption('type', `${JSON.stringify(type)} is not an event type. Known event types: ${known}`);
    }
    this.#handlers.add(own ?? (type as string), checkHandler('on', handler));
    return this;
  }

  /**
   * Registers a handler for every event of a known type. It runs beside those of the type.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onAny(
   *   ({ type, payload }) => console.log(type, new Date(payload.createdAt)),
   * );
   * ```
   */
  onAny(handler: WebhookHandler<WebhookEvent>): this {
    refuseWithInbox('onAny', this.#parts.settings);
    this.#handlers.any.push(checkHandler('onAny', handler));
    return this;
  }

  /**
   * Registers a handler for verified events of a known type that has no other handler, of its own or by `onAny`. They
   * are answered 200 without one too; with one, as any event. Each such type leaves one line in the log at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
   *   .on('lead_captured', ({ payload }) => console.log(payload.leadEmail))
   *   .onUnhandled(({ type, payload }) => console.log('kept for later', type, payload));
   * ```
   */
  onUnhandled(handler: WebhookHandler<WebhookEvent>): this {
    refuseWithInbox('onUnhandled', this.#parts.settings);
    this.#handlers.unhandled.push(checkHandler('onUnhandled', handler));
    return this;
  }

  /**
   * Registers a handler for verified events of a type that this version does not know. They are answered 200 without
   * one too; with one, as any event. Each such type leaves one line in the log at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onUnknown(
   *   ({ type }) => console.warn('update agent-platform-sdk to type', type),
   * );
   * ```
   */
  onUnknown(handler: WebhookHandler<UnknownWebhookEvent>): this {
    refuseWithInbox('onUnknown', this.#parts.settings);
    this.#handlers.unknown.push(checkHandler('onUnknown', handler));
    return this;
  }

  /**
   * Registers a handler for verified events whose payload does not fit the specification. Without one they are answered
   * 400 and go to `onError` with their payload; with one, they are answered as any event.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onInvalid(
   *   ({ type, issues, payload }) => console.error('kept for later', type, issues, payload),
   * );
   * ```
   */
  onInvalid(handler: WebhookHandler<InvalidWebhookEvent>): this {
    refuseWithInbox('onInvalid', this.#parts.settings);
    this.#handlers.invalid.push(checkHandler('onInvalid', handler));
    return this;
  }

  /**
   * Registers a listener for every failure: a handler that threw, or had not settled at the deadline; a store or an
   * inbox that failed; secrets that could not be loaded or looked up; an event that does not fit, without `onInvalid`. What the listener itself throws is logged, and changes no answer.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onError(
   *   (error, { stage, event }) => console.error('not handled', stage, event?.type, error),
   * );
   * ```
   */
  onError(listener: (error: unknown, failure: WebhookFailure) => unknown): this {
    this.#handlers.error.push(checkHandler('onError', listener));
    return this;
  }

  /**
   * Registers a listener for deliveries that were refused before they were verified: a wrong secret, a body that is too large or
   * cut off. What fails is told to `onError` alone. What the listener itself throws is logged, and changes no answer.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' }).onRejected(
   *   ({ reason, status }) => console.warn('has the secret been rotated?', reason, status),
   * );
   * ```
   */
  onRejected(listener: (rejection: WebhookRejection) => unknown): this {
    this.#handlers.rejected.push(checkHandler('onRejected', listener));
    return this;
  }

  /**
   * Tells whether events of a type reach a handler here: by `on`, `onAny` or `onUnhandled`, or `onUnknown` for a type that
   * this version does not know. A worker gives the others back to its queue.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' });
   * receiver.on('lead_captured', ({ payload }) => console.log(payload.leadEmail));
   * console.log(receiver.handles('agent_deleted')); // false
   * ```
   */
  handles(type: string): boolean {
    return this.#handlers.takes(type);
  }

  /**
   * Takes a delivery from any server. Never rejects. The other ways in only translate to and from this one.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   * import Fastify from 'fastify';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' });
   * const app = Fastify({ bodyLimit: 8 * 1024 * 1024 });
   * app.post('/webhooks', async (request, reply) => {
   *   const { status, headers, body } = await receiver.handle(request);
   *   return reply.code(status).headers(headers).send(body);
   * });
   * ```
   */
  readonly handle = async (request: WebhookRequest): Promise<WebhookResponse> =>
    this.#answer(request, () => request.body, mountingHint);

  /**
   * Takes a delivery as a `Request`: Next, Hono, Remix, Workers, Deno, Bun. Never rejects. Bound to the receiver, so
   * that it can be passed on as a function.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' });
   * export const POST = receiver.fetch;
   * ```
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    const answer = await this.#answer(request, (reading) => readRequest(request, reading));
    return toResponse(answer);
  };

  /**
   * Takes a delivery from `node:http`, Express 4 or 5, or anything that is built on them. Never rejects. Bound to the
   * receiver, so that it can be passed on as a function.
   *
   * Takes `request.body` where a body parser has made one, and reads the stream where none has. Body parsers parse forged
   * bodies too, and have limits of their own (Express 100 kB, Fastify 1 MB) by which they refuse what is larger before the
   * receiver sees it: mount the receiver before them.
   *
   * @param parsed - The parsed body, where the server keeps it elsewhere: `receiver.node(request.raw, reply.raw,
   *   request.body)`. A function in its place (Express passes `next`) is ignored.
   *
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' });
   * createServer(receiver.node).listen(3000);
   * ```
   */
  readonly node = async (request: NodeRequest, response: NodeResponse, parsed?: unknown): Promise<void> => {
    const answer = await this.#answer(request, (reading) => {
      const body = parsedBody(request, parsed);
      return body === undefined ? readNode(request, reading) : body.value;
    });
    try {
      answerNode(response, answer);
    } catch (error) {
      this.#parts.settings.log.log(
        'error',
        () => `a webhook could not be answered: ${describeThrown(error)}`,
      );
    }
  };

  /**
   * Processes a webhook that an inbox has stored: validates it and runs the handlers.
   *
   * @param options - `signal` becomes the handlers' `context.signal`. Where it is aborted, an event that waits for its turn by
   *   `newestOnly` rejects, and one whose handlers have not settled holds up the others of its key no longer: without it, for ever.
   * @throws {WebhookError} A handler failed, or `signal` was aborted before the turn of the event; `cause` is what was thrown, or the
   *   signal's reason. Try again later.
   * @throws {WebhookPayloadError} It does not fit the specification, and no `onInvalid` is registered.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
   *
   * const queue: StoredWebhook[] = [];
   * const secret = process.env.WORKSPACE_SECRET ?? '';
   * const inbox = { store: async (webhook: StoredWebhook) => void queue.push(webhook) };
   * const receiver = createWebhookReceiver({ secret, inbox });
   * const handlers = createWebhookHandlers().onAny(({ type }) => console.log(type));
   *
   * for (const stored of queue.splice(0)) await handlers.process(stored);
   * ```
   */
  async process(
    stored: StoredWebhook,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const now = (): number => this.#parts.settings.clock.now();
    await observeJob(stored, now, () => processStored(stored, options, this.#parts));
  }

  #answer(
    request: Pick<WebhookRequest, 'method'>,
    readBody: ReadBody,
    hint?: typeof mountingHint,
  ): Later<WebhookResponse> {
    const delivery = new Pipeline(this.#parts, request, hint);
    return observeDelivery(this.#parts.settings, delivery, () => delivery.answer(readBody));
  }
}

/** With an inbox, the handlers belong to its workers: here they would never run. */
function refuseWithInbox(name: string, { inbox }: ReceiverSettings): void {
  if (inbox === undefined) return;
  refuseOption(
    name,
    'registers no handler at a receiver with an inbox: pass handlers to the worker, by inbox.work({ ... }) or createWebhookHandlers()',
  );
}

function checkHandler<Handler>(name: string, handler: Handler): Handler {
  if (typeof handler === 'function') return handler;
  return refuseOption(name, `takes a function, got ${typeName(handler)}`);
}

/**
 * Makes a receiver for the service's webhooks. A 200 means that the event was handled, or stored in the inbox: the
 * service does not repeat an event (specification, 6.4).
 *
 * @throws {ConfigurationError} An option is wrong, such as an empty secret.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 *
 * declare const crm: { add(lead: { leadEmail?: string | undefined }): Promise<void> };
 *
 * const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
 *   .on('lead_captured', async (event) => crm.add(event.payload))
 *   .onError((error, { event }) => console.error(event?.type, error));
 *
 * createServer(receiver.node).listen(3000);
 * ```
 */
export function createWebhookReceiver(options: WebhookReceiverOptions): WebhookReceiver;
/**
 * Makes a receiver without a secret, for a worker: it processes what an inbox has stored, which was verified before. It takes no
 * deliveries: to each it answers 500, and `onError` gets a `ConfigurationError`.
 *
 * @throws {ConfigurationError} An option is wrong, or `secret` is there and undefined.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
 *
 * const worker = createWebhookReceiver({}).on('lead_captured', ({ payload }) => console.log(payload.leadEmail));
 * export const work = (message: string) => worker.process(JSON.parse(message) as StoredWebhook);
 * ```
 */
export function createWebhookReceiver(options: WebhookProcessingOptions): WebhookReceiver;
export function createWebhookReceiver(
  options: WebhookReceiverOptions | WebhookProcessingOptions,
): WebhookReceiver {
  return forCaller(createWebhookReceiver, () => new WebhookReceiver(options));
}
