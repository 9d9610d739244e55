import { ConfigurationError } from '../errors/index.js';
import { bindMethods } from '../utils/bound.js';
import { describeThrown } from '../utils/thrown.js';
import { BodyBudget } from './body/reading.js';
import { readGiven } from './body/streams.js';
import type { WebhookContext, WebhookHandler, WebhookRejection } from './context.js';
import type { WebhookEvent, WebhookEventOf, WebhookEventType } from './events/table.js';
import { checkFunction, WebhookHandlers } from './handlers.js';
import { responseDropped, responseTaken, wrongMount } from './hints.js';
import { type AnyReceiverOptions, resolveReceiver, type WebhookReceiverOptions } from './options.js';
import type { WebhookResponse } from './outcomes.js';
import type { InvalidWebhookEvent, UnknownWebhookEvent } from './payload.js';
import { type ReceiverParts, receive } from './receive.js';
import { type FailureListener, Reporter } from './reporter.js';
import { SecretLoader } from './secrets/loader.js';
import { resolveSecrets } from './secrets/resolve.js';
import {
  isNode,
  type NodeRequest,
  type NodeResponse,
  parsedBody,
  readNode,
  respondNode,
} from './servers/node.js';
import { isRequest, readRequest, toResponse } from './servers/web.js';

// A delivery reads in this order: `receiver.ts` and `servers/` take it from the server; `receive.ts` carries
// it to the response, through `authenticate.ts`, `payload.ts`, `dedupe/`, and `inbox.ts` or `handlers.ts`.

/** Describes a request of any server. The request objects of Fastify and Koa fit as they are. */
export interface WebhookRequest {
  /** The HTTP method. Anything but POST gets a 405. */
  readonly method?: string | undefined;
  /**
   * Only names an encoding in hints: no header verifies a webhook (specification, 6.4).
   *
   * Any content type will do.
   */
  readonly headers?: unknown;
  /** The body: a string, bytes, a Web stream, or what a body parser made of it. */
  readonly body?: unknown;
}

/** Verifies deliveries, and responds when their events are handled or stored. */
export class WebhookReceiver {
  /** @internal */
  protected readonly parts: ReceiverParts;
  /** Whether the program has sent a response of `fetch`: then it knows how, and nothing watches it anymore. */
  #isSending = false;

  /** Use {@link createWebhookReceiver}. */
  constructor(parts: ReceiverParts) {
    this.parts = parts;
    bindMethods(this);
  }

  /**
   * Registers a listener for deliveries that were refused before verification.
   *
   * For example: a wrong secret, a body that is too large or cut off. Failures go to `onError` only. If the
   * listener throws, that is logged and ignored.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onRejected(
   *   ({ reason, status, hint }) => console.warn('was the secret rotated?', reason, status, hint),
   * );
   * ```
   */
  onRejected(listener: (rejection: WebhookRejection) => unknown): this {
    checkFunction('onRejected', listener);
    this.parts.reporter.rejectionListeners.push(listener);
    return this;
  }

  /**
   * Registers a listener for every failure, like {@link WebhookHandlers.onError}.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onError(
   *   (error, { stage, event }) => console.error('not handled', stage, event?.type, error),
   * );
   * ```
   */
  onError(listener: FailureListener): this {
    checkFunction('onError', listener);
    this.parts.reporter.failureListeners.push(listener);
    return this;
  }

  /**
   * Takes a delivery from any server, and returns the response to send.
   *
   * Respond with its `status`. A route that returns the object itself (in Nest, Fastify or Lambda) always sends 200.
   *
   * @throws {ConfigurationError} You mounted `handle` itself as a route: the framework would always respond with 200.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
   *
   * export async function onMessage(body: string): Promise<number> {
   *   const { status } = await receiver.handle({ method: 'POST', body });
   *   return status;
   * }
   * ```
   */
  readonly handle: (request: WebhookRequest) => Promise<WebhookResponse> = async (
    request,
    ...more: unknown[]
  ) => {
    // As a route, which would respond with 200 whatever it returns.
    if (more.length > 0) throw wrongMount('handle', '{ method, body }, and returns the response to send');
    return await receive(this.parts, request, (unverified) => readGiven(request.body, unverified));
  };

  /**
   * Takes a delivery as a `Request`: Next, Hono, Remix, Workers, Deno, Bun.
   *
   * You can pass it as a function. In Hono: `app.post('/webhooks', (c) => receiver.fetch(c.req.raw))`.
   *
   * @throws {ConfigurationError} A framework passed something other than a `Request`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
   * export const POST = receiver.fetch;
   * ```
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    const response = await receive(this.parts, request, (unverified) => readRequest(request, unverified));
    // Anything else was refused, but a framework that does not know `Response` would respond with 200.
    if (!isRequest(request)) throw wrongMount('fetch', 'a `Request`');
    const isWatched = !this.#isSending && response.body !== '' && request.method === 'POST';
    if (!isWatched) return toResponse(response);
    return toResponse(response, (isSent) => {
      this.#isSending = true;
      if (!isSent) this.parts.settings.log.log('warn', () => responseDropped(response.status));
    });
  };

  /**
   * Takes a delivery from `node:http`, Express, or anything built on them.
   *
   * You can pass it as a function. It uses `request.rawBody` or `request.body` if something has read the body, and
   * reads the stream otherwise.
   * Mount the receiver before body parsers: they parse unauthenticated bodies too, and have lower limits
   * (Express 100 kB, Fastify 1 MB).
   *
   * @param parsed - The parsed body, if the server keeps it elsewhere:
   *   `receiver.node(request.raw, reply.raw, request.body)`. A function in its place (Express passes `next`)
   *   is ignored.
   * @throws {ConfigurationError} A framework passed something other than a `node:http` request and response.
   *
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
   * createServer(receiver.node).listen(3000);
   * ```
   */
  readonly node = async (request: NodeRequest, response: NodeResponse, parsed?: unknown): Promise<void> => {
    const { log } = this.parts.settings;
    if (!isNode(request, response)) {
      const problem = wrongMount('node', 'a request and a response of node:http');
      // Logged too: Fastify (5.12) logs what a route throws only if it was given a logger.
      log.log('error', () => problem.message);
      throw problem;
    }
    const result = await receive(this.parts, request, (unverified) => {
      const body = parsedBody(request, parsed);
      return body === undefined ? readNode(request, unverified) : readGiven(body, unverified);
    });
    try {
      if (!respondNode(response, result)) {
        log.log('error', () => responseTaken(response.statusCode, result.status));
      }
    } catch (error) {
      log.log('error', () => `failed to respond to a webhook: ${describeThrown(error)}`);
    }
  };
}

/** Runs handlers: recognises duplicates, validates, and responds when the handlers have ended. */
export class HandlingReceiver extends WebhookReceiver {
  /** Returns the handlers of its events: those you passed, or its own. */
  get handlers(): WebhookHandlers {
    if (this.parts.settings.inbox === undefined) return this.parts.handlers;
    // From JavaScript: its type has no handlers.
    throw new ConfigurationError(
      'A receiver with an inbox runs no handlers. Pass them to the worker: inbox.work({ lead_captured: … })',
      { option: 'inbox' },
    );
  }

  /** Registers a handler for one event type: see {@link WebhookHandlers.on}. */
  on<Type extends WebhookEventType>(
    type: Type,
    handler: (event: WebhookEventOf<Type>, context: WebhookContext) => unknown,
  ): this {
    this.handlers.on(type, handler);
    return this;
  }

  /** Registers a handler for every event of a known type: see {@link WebhookHandlers.onAny}. */
  onAny(handler: WebhookHandler<WebhookEvent>): this {
    this.handlers.onAny(handler);
    return this;
  }

  /** Registers a handler for events that have no other: see {@link WebhookHandlers.onUnhandled}. */
  onUnhandled(handler: WebhookHandler<WebhookEvent>): this {
    this.handlers.onUnhandled(handler);
    return this;
  }

  /** Registers a handler for types that this version does not know: see {@link WebhookHandlers.onUnknown}. */
  onUnknown(handler: WebhookHandler<UnknownWebhookEvent>): this {
    this.handlers.onUnknown(handler);
    return this;
  }

  /** Registers a handler for invalid events: see {@link WebhookHandlers.onInvalid}. */
  onInvalid(handler: WebhookHandler<InvalidWebhookEvent>): this {
    this.handlers.onInvalid(handler);
    return this;
  }
}

/**
 * Makes a receiver for the service's webhooks.
 *
 * A 200 means that the event was handled, or stored in the inbox: the service has no automatic retry
 * (specification, 6.4).
 *
 * @throws {ConfigurationError} An option is wrong, or there is no secret: neither `secret` nor
 *   `verifySecret`, nor the environment variable `AGENT_PLATFORM_WEBHOOK_SECRET`.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 *
 * declare const crm: { add(lead: { leadEmail?: string | undefined }): Promise<void> };
 *
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET })
 *   .on('lead_captured', async (event) => crm.add(event.payload))
 *   .onError((error, { event }) => console.error(event?.type, error));
 *
 * createServer(receiver.node).listen(3000);
 * ```
 */
export function createWebhookReceiver(options?: WebhookReceiverOptions): HandlingReceiver;
export function createWebhookReceiver(options: AnyReceiverOptions): WebhookReceiver;
export function createWebhookReceiver(options: AnyReceiverOptions = {}): WebhookReceiver {
  const settings = resolveReceiver(options);
  const { log, hooks, handlers = new WebhookHandlers(settings) } = settings;
  // Those of another installation of this package may have no such method.
  handlers.logTo?.(log);
  const reporter = new Reporter(log, handlers.listeners, hooks.onDelivery);
  const ownerFinder = resolveSecrets(
    options,
    (load) => new SecretLoader(load, (error) => reporter.usingStaleSecrets(error)),
  );
  const budget = new BodyBudget(settings.maxBodyBytes);
  return new HandlingReceiver({ settings, ownerFinder, handlers, reporter, budget });
}
