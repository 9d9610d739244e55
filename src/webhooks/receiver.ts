import { ConfigurationError } from '../errors/index.js';
import { describeThrown } from '../utils/logger.js';
import { responseTaken } from './adapters/hints.js';
import {
  type NodeRequest,
  type NodeResponse,
  nodeProblem,
  parsedBody,
  readNode,
  respondNode,
} from './adapters/node.js';
import { BodyBudget } from './adapters/reading.js';
import { checkRequest, isStream, readRequest, readStream, toResponse } from './adapters/web.js';
import type { WebhookRejection } from './context.js';
import { resolveReceiver, type WebhookReceiverOptions } from './options.js';
import type { WebhookResponse } from './outcomes.js';
import { type ReceiverParts, receive } from './receive.js';
import { checkFunction, Registry, WebhookRegistration } from './registration.js';
import { Reporter } from './reporter.js';
import { SecretLoader } from './secrets/loader.js';
import { resolveSecrets } from './secrets/resolve.js';

// A delivery reads in this order: `receiver.ts` and `adapters/` take it from the server; `receive.ts` carries
// it to the response, through `authenticate.ts`, `payload.ts`, `dedupe/`, and `inbox.ts` or `handlers.ts`.

/** A request as any server can describe it. The request objects of Fastify and Koa fit as they are. */
export interface WebhookRequest {
  /** The HTTP method. Any other than POST is refused with 405. */
  readonly method?: string | undefined;
  /**
   * Ignored: the specification shows no header that verifies a webhook (6.4), and a body that is JSON is
   * accepted whatever its content type.
   */
  readonly headers?: unknown;
  /** The body as a string, bytes or a Web stream, or the object that a body parser has made of it. */
  readonly body?: unknown;
}

/** Receives webhooks: verifies, validates, recognises duplicates, runs handlers, responds. */
export class WebhookReceiver extends WebhookRegistration {
  readonly #parts: ReceiverParts;

  /** Use {@link createWebhookReceiver}. */
  constructor(options: WebhookReceiverOptions) {
    const settings = resolveReceiver(options);
    const registry = new Registry();
    super(registry, settings.inbox !== undefined);
    const reporter = new Reporter(settings.log, registry, settings.hooks.onDelivery);
    const ownerFinder = resolveSecrets(
      options,
      (load) => new SecretLoader(load, (error) => reporter.usingStaleSecrets(error)),
    );
    const budget = new BodyBudget(settings.maxBodyBytes);
    this.#parts = { settings, ownerFinder, registry, reporter, budget };
  }

  /**
   * Registers a listener for deliveries that were refused before they were verified: a wrong secret, a body
   * that is too large or cut off.
   *
   * Failures go to `onError` only. What the listener throws is logged and ignored.
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
    this.registry.rejected.push(listener);
    return this;
  }

  /**
   * Takes a delivery from any server, and returns the response to send. `fetch` and `node` translate to it.
   *
   * @throws {ConfigurationError} It was mounted as a route itself: the framework would respond with 200.
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
    if (more.length > 0) {
      throw new ConfigurationError(
        'receiver.handle was called as a route of a framework. ' +
          'It returns the response that your route has to send:\n' +
          '  const { status, headers, body } = await receiver.handle({ method, body });',
        { option: 'handle' },
      );
    }
    return await receive(this.#parts, request, (unverified) => {
      const { body } = request;
      return isStream(body) ? readStream(body, unverified) : body;
    });
  };

  /**
   * Takes a delivery as a `Request`: Next, Hono, Remix, Workers, Deno, Bun. Bound to the receiver, so that it
   * can be passed as a function. In Hono: `app.post('/webhooks', (c) => receiver.fetch(c.req.raw))`.
   *
   * @throws {ConfigurationError} A framework passed anything but a `Request`.
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
    const response = await receive(this.#parts, request, (unverified) => readRequest(request, unverified));
    // Anything else was refused, but a framework that does not know `Response` would respond with 200.
    checkRequest(request);
    return toResponse(response);
  };

  /**
   * Takes a delivery from `node:http`, Express 4 or 5, or anything that is built on them. Bound to the
   * receiver, so that it can be passed as a function.
   *
   * Takes `request.body` if a body parser has made one, and reads the stream otherwise. Mount the receiver
   * before body parsers: they parse unauthenticated bodies too, and have lower limits (Express 100 kB,
   * Fastify 1 MB).
   *
   * @param parsed - The parsed body, if the server keeps it elsewhere:
   *   `receiver.node(request.raw, reply.raw, request.body)`. A function in its place (Express passes `next`)
   *   is ignored.
   * @throws {ConfigurationError} A framework passed anything but a request and a response of `node:http`.
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
    const { log } = this.#parts.settings;
    const problem = nodeProblem(request, response);
    if (problem !== undefined) {
      // Logged too: Fastify (5.12) logs what a route throws only if it was given a logger.
      log.log('error', () => problem.message);
      throw problem;
    }
    const result = await receive(
      this.#parts,
      request,
      (unverified) => parsedBody(request, parsed) ?? readNode(request, unverified),
    );
    try {
      if (!respondNode(response, result)) {
        log.log('error', () => responseTaken(response.statusCode, result.status));
      }
    } catch (error) {
      log.log('error', () => `failed to respond to a webhook: ${describeThrown(error)}`);
    }
  };
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
export function createWebhookReceiver(options: WebhookReceiverOptions = {}): WebhookReceiver {
  return new WebhookReceiver(options);
}
