import { ConfigurationError } from '../errors/index.js';
import { describeThrown } from '../utils/logger.js';
import {
  answerNode,
  checkRequest,
  isStream,
  type NodeRequest,
  type NodeResponse,
  nodeProblem,
  parsedBody,
  ReadBudget,
  readNode,
  readRequest,
  readStream,
  toResponse,
} from './adapters/node.js';
import { resolveReceiver, type WebhookReceiverOptions } from './options.js';
import type { WebhookResponse } from './outcomes.js';
import { deliver, type ReceiverParts } from './receive.js';
import { checkFunction, Registry, WebhookRegistration, type WebhookRejection } from './registration.js';
import { Reports } from './reporter.js';
import { resolveSecrets, SecretLoader, verifierOf } from './secrets/known.js';

// A delivery reads in this order: `receiver.ts` and `adapters.ts` take it from the server, `deliver.ts` carries it from there to the
// response, and calls `secrets.ts`, `payload.ts`, `dedupe.ts`, `inbox.ts`, `handlers.ts`, `reports.ts` and `answers.ts`.

/** A request as any server can describe it. The request objects of Fastify and Koa fit as they are. */
export interface WebhookRequest {
  /** The HTTP method. Any other than POST is refused with 405. */
  readonly method?: string | undefined;
  /**
   * Ignored: the specification shows no header that verifies a webhook (6.4), and no content type refuses a body that is JSON.
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
    const reports = new Reports(settings.log, registry);
    const newVerify = resolveSecrets(options, {
      known: verifierOf,
      loader: (load) => new SecretLoader(load, (error) => reports.stale(error)),
    });
    const budget = new ReadBudget(settings.maxUnverifiedBytes);
    this.#parts = { settings, newVerify, registry, reports, budget };
  }

  /**
   * Registers a listener for deliveries that were refused before they were verified: a wrong secret, a body that is too large or cut off.
   *
   * Failures go to `onError` only. What the listener throws is logged, and changes no response.
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
   * Takes a delivery from any server, and returns the response to send. `fetch` and `node` are translations of this.
   *
   * @throws {ConfigurationError} It was mounted as a route itself. A framework would respond with 200 otherwise.
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
        'receiver.handle was called as a route of a framework. It returns the response that your route has to send:\n' +
          '  const { status, headers, body } = await receiver.handle({ method, body });',
        { option: 'handle' },
      );
    }
    return await deliver(this.#parts, request, (reading) => {
      const { body } = request;
      return isStream(body) ? readStream(body, reading) : body;
    });
  };

  /**
   * Takes a delivery as a `Request`: Next, Hono, Remix, Workers, Deno, Bun. Bound to the receiver, so that it can be passed as a
   * function. In Hono: `app.post('/webhooks', (c) => receiver.fetch(c.req.raw))`.
   *
   * @throws {ConfigurationError} A framework passed something else than a `Request`.
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
    const answer = await deliver(this.#parts, request, (reading) => readRequest(request, reading));
    // It was refused. A framework that does not know `Response` would respond with 200 all the same.
    checkRequest(request);
    return toResponse(answer);
  };

  /**
   * Takes a delivery from `node:http`, Express 4 or 5, or anything that is built on them. Bound to the receiver, so that it can be passed
   * as a function.
   *
   * Takes `request.body` if a body parser has made one, and reads the stream otherwise. Mount the receiver before body parsers: they
   * parse unauthenticated bodies too, and refuse larger ones by limits of their own (Express 100 kB, Fastify 1 MB).
   *
   * @param parsed - The parsed body, if the server keeps it elsewhere: `receiver.node(request.raw, reply.raw, request.body)`. A function
   *   in its place (Express passes `next`) is ignored.
   * @throws {ConfigurationError} A framework passed something else than a request and a response of `node:http`.
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
      // Not every framework logs what a route throws.
      log.log('error', () => problem.message);
      throw problem;
    }
    const answer = await deliver(
      this.#parts,
      request,
      (reading) => parsedBody(request, parsed) ?? readNode(request, reading),
    );
    try {
      answerNode(response, answer);
    } catch (error) {
      log.log('error', () => `a webhook could not be responded to: ${describeThrown(error)}`);
    }
  };
}

/**
 * Makes a receiver for the service's webhooks.
 *
 * A 200 means that the event was handled, or stored in the inbox: the service has no automatic retry (specification, 6.4).
 *
 * @throws {ConfigurationError} An option is wrong, or there is no secret: neither `secret` nor `verifySecret`, nor the environment
 *   variable `AGENT_PLATFORM_WEBHOOK_SECRET`.
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
