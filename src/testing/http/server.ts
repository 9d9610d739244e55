import type * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import * as z from 'zod/v4/mini';
import { AgentPlatformError } from '../../errors/index.js';
import { flag, text } from '../../schemas/fields.js';
import { byRegion } from '../../utils/regions.js';
import { checkedBy, checkOptions, wholeNumber } from '../../validation/check-options.js';
import { type BaseUrls, placeOverHttp } from '../fake/places.js';
import { isJson } from '../fake/responses.js';
import type { Incoming } from '../fake/service.js';
import { callableHost, hostInUrl, isHostName, isOwnHost, isThisMachine } from './hosts.js';

declare global {
  /** As in `lib.esnext.disposable`: these declarations must compile with any `lib`. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
    readonly dispose: unique symbol;
  }
}

/** Options of `fake.listen`. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `'127.0.0.1'`: only this machine reaches the fake. */
  readonly host?: string | undefined;
  /**
   * Serves an HTTP API below `/_fake`, and a page at `/`. Default false.
   *
   * Both show everything in the fake, including secrets.
   */
  readonly control?: boolean | undefined;
  /**
   * More names of this server, without a port: `['fake.example.com']`; a suffix such as `.app.github.dev`
   * allows all names under it, and `*` is refused. A request with another `Host` is
   * refused with 421: a page in a browser could be behind it (DNS rebinding). Always allowed are addresses,
   * names without a dot, and those under `localhost` and `internal`. Default none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

const hostName = /* @__PURE__ */ checkedBy((value) =>
  isHostName(value) ? undefined : 'must be a name without a port, or a suffix such as .example.com',
);

/** The ports that `fetch` blocks, from 1024 on (fetch.spec.whatwg.org, 2.9: a bad port). */
const BAD_PORT = /^(1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/;

const unblocked = /* @__PURE__ */ z.refine<number>(
  (port) => !BAD_PORT.test(String(port)),
  'must be one that `fetch` does not block',
);

const listenSchema = /* @__PURE__ */ z.strictObject({
  port: z.optional(/* @__PURE__ */ wholeNumber(0, 65_535).check(unblocked)),
  host: text,
  control: flag,
  allowedHosts: z.optional(z.array(hostName)),
} satisfies Record<keyof ListenOptions, z.core.$ZodType>);

/** A fake that listens for HTTP. `await using` closes it. */
export interface FakeServer {
  /** `http://127.0.0.1:4010`; also if it listens on every address (`0.0.0.0`, `::`). */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The base address of each region here: `url` with `/eu` and `/na`. */
  readonly baseUrls: BaseUrls;
  /** Stops listening and ends every connection. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The handlers of the server. */
interface Served {
  /** Responds to a call of the service, and records it. */
  readonly respond: (incoming: Incoming) => Promise<Response>;
  /** Serves the page at `/`, and all paths below `/_fake/`. */
  readonly control: ((request: Request) => Response | Promise<Response>) | undefined;
}

/** Starts an HTTP server, which only translates requests and responses. */
export async function startServer(served: Served, options: ListenOptions): Promise<FakeServer> {
  checkOptions(listenSchema, options, { of: 'fake.listen' });
  const { port = 0, host = '127.0.0.1', allowedHosts = [] } = options;
  const onRequest = (incoming: http.IncomingMessage, outgoing: http.ServerResponse): void => {
    serve(served, [host, ...allowedHosts], incoming, outgoing).catch(() => cutConnection(outgoing));
  };
  const server = nodeHttp().createServer(onRequest);
  // An `Expect` that Node does not know is a request all the same.
  server.on('checkExpectation', onRequest);
  server.on('clientError', (error: ParseError, socket) => void refuseUnparsed(served, error, socket));
  const listening = await startListening(server, { host, port });
  if (!isThisMachine(host)) {
    console.warn(
      `[agent-platform-sdk] The fake listens at ${hostInUrl(host)}:${listening.port}: ` +
        'other machines can read and change its records.',
    );
  }
  const baseUrls = byRegion((region) => `${listening.url}/${region}`);
  return { ...listening, baseUrls, [Symbol.asyncDispose]: listening.close };
}

/** Lets a server listen. Rejects if it cannot. */
export async function startListening(
  server: http.Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Pick<FakeServer, 'url' | 'port' | 'close'>> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // A server that listens on a port has an address of this form.
  const actual = (server.address() as AddressInfo).port;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${hostInUrl(callableHost(host))}:${actual}`, port: actual, close };
}

/** Loads `node:http` at run time: a bundler for browsers cannot resolve a static import (esbuild 0.28). */
function nodeHttp(): typeof http {
  const found = globalThis.process?.getBuiltinModule?.('node:http');
  if (found !== undefined) return found;
  throw new AgentPlatformError(
    'fake.listen() needs node:http: Node 20.16 or newer, Bun or Deno. ' +
      'Use fake.fetch or the msw handlers here.',
  );
}

async function serve(
  { respond, control }: Served,
  allowedHosts: readonly string[],
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const { signal } = gone;
  const { method = 'GET', url = '/' } = incoming;
  // An `OPTIONS *`, or an address of a proxy, has no slash.
  const { pathname, search: query } = new URL(`http://127.0.0.1${url.startsWith('/') ? url : `/${url}`}`);
  const isControl = control !== undefined && /^\/(_fake\/.*)?$/.test(pathname);
  const refused = refusalAtDoor(incoming, allowedHosts, isControl);
  // Node joins the values of all headers that a request may repeat.
  const sent = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  const headers = new Headers(Object.fromEntries(sent));
  if (isControl && refused === undefined) {
    // `new Request` throws if one of these has a body (fetch.spec.whatwg.org, 5.4).
    const body = method === 'GET' || method === 'HEAD' ? null : await bytesOf(incoming);
    const address = addressSeen(incoming.headers) + url;
    return sendResponse(await control(new Request(address, { method, headers, body, signal })), outgoing);
  }
  // A client that leaves within its body is a row too.
  const readText = async (): Promise<string> => {
    const bytes = await bytesOf(incoming).catch(() => gone.abort());
    return new TextDecoder().decode(bytes ?? new Uint8Array());
  };
  const place = placeOverHttp(pathname);
  const response = await respond({ method, place, query, headers, readText, signal, refused });
  // The request was not read to its end.
  if (refused !== undefined) outgoing.setHeader('connection', 'close');
  await sendResponse(response, outgoing);
}

/** Why Node could not parse a request. The bytes are missing if the connection broke off. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** The first byte of a TLS connection (RFC 8446, 5.1: a handshake). */
const TLS_HANDSHAKE = 22;

/** Refuses what is no HTTP: most likely the address begins with https:. */
async function refuseUnparsed({ respond }: Served, error: ParseError, socket: Duplex): Promise<void> {
  if (error.rawPacket === undefined || !socket.writable) return void socket.destroy();
  const isTls = error.rawPacket[0] === TLS_HANDSHAKE;
  const message = isTls
    ? 'The fake only speaks http:, and this is https:. Change the address.'
    : `This is not HTTP/1.1: ${error.code}.`;
  const { signal } = new AbortController();
  await respond({
    method: isTls ? 'TLS' : '?',
    place: placeOverHttp('/'),
    query: '',
    headers: new Headers(),
    readText: () => Promise.resolve(''),
    signal,
    refused: { status: 400, message },
  });
  socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
}

/** Refuses what a page of another site may have sent, and what is never served. Its body is not read. */
function refusalAtDoor(
  { method = '', headers }: http.IncomingMessage,
  allowedHosts: readonly string[],
  isControl: boolean,
): Incoming['refused'] {
  const { host = '' } = headers;
  if (!isOwnHost(host, allowedHosts)) {
    const hint = 'Allow it with --allow-host, or with the option allowedHosts of fake.listen.';
    return { status: 421, message: `The fake does not accept the host "${host}". ${hint}` };
  }
  // Set by browsers, for what a page loads and for its links (www.w3.org/TR/fetch-metadata, 2.3).
  if (headers['sec-fetch-site'] === 'cross-site') {
    const message =
      'This request comes from another site. Enter the address of the fake in the browser yourself.';
    return { status: 403, message };
  }
  if (/^(TRACE|CONNECT)$/.test(method)) {
    return { status: 405, message: `The fake does not accept ${method}.` };
  }
  // A page of another site must ask before it sends this content type (fetch.spec.whatwg.org, 2.2.2).
  if (isControl && /^(POST|PATCH)$/.test(method) && !isJson(headers['content-type'])) {
    return { status: 415, message: 'The content type must be application/json.' };
  }
  return undefined;
}

/** The address that the reader of the page sees, also behind a proxy such as that of a cloud IDE. Only shown. */
function addressSeen({ host, ...headers }: http.IncomingHttpHeaders): string {
  const protocol = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const seen = `${protocol}://${String(headers['x-forwarded-host'] ?? host)}`;
  return URL.canParse(seen) ? seen : `http://${host}`;
}

async function bytesOf(incoming: http.IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  // Without an encoding, chunks are bytes.
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

async function sendResponse(
  { status, headers, body }: Response,
  outgoing: http.ServerResponse,
): Promise<void> {
  outgoing.setHeaders(headers).writeHead(status);
  const reader = body?.getReader();
  // When the client is gone, the body ends: server-sent events would go on forever.
  outgoing.once('close', () => void reader?.cancel().catch(() => undefined));
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    await write(outgoing, part.value);
  }
  outgoing.end();
}

/**
 * Resolves once the bytes are flushed: a cut after them would drop what is still buffered
 * (Node 20.20.2, lib/internal/streams/writable.js, `destroy`).
 */
function write(outgoing: http.ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Resets the connection; once the response has started, ends its body too soon. */
function cutConnection(outgoing: http.ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.socket?.resetAndDestroy();
}
