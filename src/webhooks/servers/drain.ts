import * as z from 'zod/v4/mini';
import { ConfigurationError } from '../../errors/index.js';
import { warnOfUnits } from '../../utils/durations.js';
import { typeName } from '../../utils/issues.js';
import { createLogger } from '../../utils/logger.js';
import { MAX_TIMER_MS, sleep, succeedsWithin } from '../../utils/waiting.js';
import { checkOptions, methods, numberBetween } from '../../validation/check-options.js';
import { drainingServers } from './node.js';

/** Options of {@link drain}. */
export interface DrainOptions {
  /** Is closed at the end: an inbox, or anything else with a `close`. */
  readonly inbox?: { close(): unknown } | undefined;
  /**
   * Delays the moment when the server stops accepting connections, in ms. Default 0.
   *
   * For a load balancer that goes on opening connections for a while: let your readiness check fail from now on.
   */
  readonly delay?: number | undefined;
  /**
   * Limits the time for connections that are open after the delay, in ms. Default 25 000.
   *
   * Then they are cut. If handlers run before the 200, set it to the receiver's `deadline`.
   */
  readonly timeout?: number | undefined;
}

/** The part of a `node:http` or `node:https` server that is needed. */
export interface DrainableServer {
  /** Time after which the server closes an idle connection, in ms. 0 is never. */
  keepAliveTimeout: number;
  /** Registers a listener before all others. */
  prependListener(
    event: string,
    listener: (
      request: unknown,
      response: {
        /** Sets a header of the response. */
        setHeader(name: string, value: string): unknown;
      },
    ) => void,
  ): unknown;
  /** Stops accepting connections, and calls back when all are closed. */
  close(callback: () => void): unknown;
  /** Closes the connections without a request. */
  closeIdleConnections(): void;
  /** Closes every connection. */
  closeAllConnections(): void;
}

export const DRAIN_DEFAULTS = { delay: 0, timeout: 25_000 } as const;
/** A sender may be about to use a connection that has just become idle. */
const IDLE_MS = 5_000;

const drained = /* @__PURE__ */ new WeakMap<DrainableServer, Promise<void>>();

/**
 * Shuts a server down without losing an event, then closes the inbox.
 *
 * It stops accepting connections and finishes the open requests, adding `connection: close` to responses. Idle
 * connections are closed after 5 s. A second call returns the same promise. Not covered: HTTP/2, upgraded
 * sockets, and the native servers of Bun and Deno.
 *
 * @param server - The server that listens: the result of `app.listen()` in Express and Koa, `app.server` in Fastify,
 *   `app.getHttpServer()` in Nest, that of `serve()` in `@hono/node-server`. In Fastify, listen on one `host`, or only
 *   the first of its servers is drained.
 * @returns Resolves when the inbox is closed. Rejects with what its `close` rejects with.
 * @throws {ConfigurationError} An argument is wrong.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver, drain } from 'agent-platform-sdk';
 *
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
 * const server = createServer(receiver.node).listen(3000);
 *
 * process.once('SIGTERM', () => drain(server));
 * ```
 */
export function drain(
  // The type of what `serve` of @hono/node-server returns includes servers of HTTP/2. Those are refused.
  server: DrainableServer | { updateSettings(settings: object): unknown },
  options: DrainOptions = {},
): Promise<void> {
  try {
    checkServer(server);
    const draining = drained.get(server) ?? drainOnce(server, checked(options));
    drained.set(server, draining);
    return draining;
  } catch (error) {
    return Promise.reject(error as ConfigurationError);
  }
}

async function drainOnce(server: DrainableServer, options: DrainOptions): Promise<void> {
  const { inbox, delay = DRAIN_DEFAULTS.delay, timeout = DRAIN_DEFAULTS.timeout } = options;
  if (delay > 0) await sleep(delay);
  const closed = new Promise<void>((resolve) => stopListening(server, resolve));
  drainingServers.add(server);
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
  // Of connections whose response is under way: Node reads it when that ends (lib/_http_server.js, resOnFinish).
  server.keepAliveTimeout = Math.min(server.keepAliveTimeout || IDLE_MS, IDLE_MS);
  const idle = setTimeout(() => server.closeIdleConnections(), IDLE_MS);
  await succeedsWithin(closed, timeout);
  clearTimeout(idle);
  server.closeAllConnections();
  await inbox?.close();
}

/**
 * Closes a server, but not the idle connections, as `close` of `node:http` does first: an event may be arriving on one
 * (nodejs/node lib/_http_server.js, httpServerPreClose).
 */
function stopListening(server: DrainableServer, closed: () => void): void {
  const closeIdleConnections = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined;
  // It calls back even if the server was closed before.
  server.close(closed);
  server.closeIdleConnections = closeIdleConnections;
}

function checkServer(server: unknown): asserts server is DrainableServer {
  const { closeIdleConnections, closeAllConnections } = (server ?? {}) as Partial<DrainableServer>;
  if (typeof closeIdleConnections === 'function' && typeof closeAllConnections === 'function') return;
  throw new ConfigurationError(
    `drain needs a server of node:http or node:https, got ${typeName(server)}. Pass the one that listens:\n` +
      '  Express, Koa: const server = app.listen(3000)\n  Fastify: app.server\n  Nest: app.getHttpServer()\n' +
      '  Hono: const server = serve(app)',
    { option: 'server' },
  );
}

function checked(options: DrainOptions): DrainOptions {
  // An inbox, or whatever else has a `close`.
  if (typeof (options as { readonly close?: unknown } | null)?.close === 'function') {
    throw new ConfigurationError('drain takes options: drain(server, { inbox }).', { option: 'inbox' });
  }
  const schema = z.strictObject({
    inbox: z.optional(methods('close')),
    delay: z.optional(numberBetween(0, MAX_TIMER_MS)),
    timeout: z.optional(numberBetween(0, MAX_TIMER_MS)),
  });
  checkOptions(schema, options, { of: 'drain' });
  const { delay, timeout } = options;
  warnOfUnits(createLogger(), 'drain', { delay, timeout });
  return options;
}
