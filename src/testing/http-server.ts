import type * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentPlatformError } from '../errors/index.js';
import { REGIONS } from '../ground/regions.js';
import { errorResponse } from './http-json.js';
import type { BaseUrls, FakeFetch } from './service.js';

declare global {
  /** As `lib.esnext.disposable` has it: these declarations must compile whatever `lib` their user has chosen. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The address to listen on, and what is served there. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `'127.0.0.1'`: reachable from this machine alone. */
  readonly host?: string | undefined;
  /**
   * Lets `/_fake/…` send events, set faults and reset, for programs in other languages: `POST /_fake/events`,
   * `/_fake/subscriptions`, `/_fake/faults`, `/_fake/reset`; `DELETE /_fake/faults`; `GET /_fake/requests`,
   * `/_fake/deliveries`. Default false.
   */
  readonly control?: boolean | undefined;
}

/** A fake that is reached over real HTTP. `await using` closes it. */
export interface FakeServer {
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  /** The port it listens on. */
  readonly port: number;
  /** The base address of each region here: `url` with `/eu` and `/na`. */
  readonly baseUrls: BaseUrls;
  /** Stops listening and ends every connection, idle or not. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The fake behind the server. */
interface Behind {
  readonly fetch: FakeFetch;
  readonly baseUrls: BaseUrls;
  readonly control: ((request: Request) => Promise<Response>) | undefined;
}

/** Starts the HTTP door: it only translates, and everything it serves comes from `fetch`. */
export async function startServer(behind: Behind, options: ListenOptions = {}): Promise<FakeServer> {
  const { port = 0, host = '127.0.0.1' } = options;
  const server = nodeHttp().createServer((incoming, outgoing) => {
    serve(behind, incoming, outgoing).catch(() => cut(outgoing));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  // A server that listens on a port has an address of this form.
  const actual = (server.address() as AddressInfo).port;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  const close = (): Promise<void> => closeServer(server);
  const baseUrls = { eu: `${url}/eu`, na: `${url}/na` };
  return { url, port: actual, baseUrls, close, [Symbol.asyncDispose]: close };
}

/** Asks for `node:http` at run time: bundlers for browsers and workers refuse code that imports it. */
function nodeHttp(): typeof http {
  const found = globalThis.process?.getBuiltinModule?.('node:http');
  if (found !== undefined) return found;
  throw new AgentPlatformError(
    'fake.listen() needs node:http, which Node 20.16 or newer, Bun and Deno have. ' +
      'Here the fake answers through fake.fetch and the msw handlers.',
  );
}

/** Resets the connection before an answer has begun; after that, ends the body too soon. */
function cut(outgoing: http.ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.socket?.resetAndDestroy();
}

function closeServer(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  behind: Behind,
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const path = incoming.url ?? '/';
  const toServe = (url: string): Promise<Request> => toRequest(url, incoming, gone.signal);
  const target = inProcessUrl(path, behind.baseUrls);
  if (target !== undefined) return send(await behind.fetch(await toServe(target)), outgoing);
  if (behind.control !== undefined && path.startsWith('/_fake')) {
    return send(await behind.control(await toServe(`http://localhost${path}`)), outgoing);
  }
  const message = 'The fake serves its regions below /eu/v3 and /na/v3.';
  return send(errorResponse(404, 'unknown_route', message), outgoing);
}

/** `/eu/v3/tools/t` is the same as `/v3/tools/t` at the in-process address of region `eu`. */
function inProcessUrl(path: string, baseUrls: BaseUrls): string | undefined {
  const region = REGIONS.find((name) => path.startsWith(`/${name}/`));
  return region === undefined ? undefined : baseUrls[region] + path.slice(region.length + 1);
}

async function toRequest(url: string, incoming: http.IncomingMessage, signal: AbortSignal): Promise<Request> {
  const method = incoming.method ?? 'GET';
  const chunks: Uint8Array[] = [];
  // Without an encoding set, chunks are bytes.
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  // A standard Request of these methods can have no body; the specification has none either.
  const bodiless = chunks.length === 0 || method === 'GET' || method === 'HEAD';
  return new Request(url, { method, headers, body: bodiless ? null : Buffer.concat(chunks), signal });
}

async function send(response: Response, outgoing: http.ServerResponse): Promise<void> {
  outgoing.setHeaders(response.headers).writeHead(response.status);
  if (response.body === null) return void outgoing.end();
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    await write(outgoing, part.value);
  }
  outgoing.end();
}

/** Resolves when the bytes are on their way, so that a cut after them does not take them back. */
function write(outgoing: http.ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
