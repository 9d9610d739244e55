import type * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AgentPlatformError } from '../errors/index.js';
import { REGIONS } from '../ground/regions.js';
import { checkPositive } from '../validation/option-checks.js';
import { callableHost, hostInUrl, isHostName, isOwnHost, isThisMachine } from './hosts.js';
import { errorResponse } from './http-json.js';
import type { BaseUrls, FakeFetch } from './service.js';

declare global {
  /** As `lib.esnext.disposable` has it: these declarations must compile whatever `lib` their user has chosen. */
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The address to listen on, and the parts that are served there. */
export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `'127.0.0.1'`: reachable from this machine alone. */
  readonly host?: string | undefined;
  /**
   * Lets programs in other languages steer the fake below `/_fake`: `/state`, which shows everything that it holds, every secret
   * too; `/records`, `/subscriptions`, `/events`, `/deliveries` (also to deliver again), `/faults`, `/requests`, `/reset`; and
   * `/changes`, which sends what happens as server-sent events. Default false.
   */
  readonly control?: boolean | undefined;
  /**
   * More names by which the server may be called, without a port: `['fake.example.com']`. A request whose header `Host` has
   * another is answered 421, since a page in a browser could be behind it (DNS rebinding). Always allowed are addresses, names
   * without a dot, and those under `localhost` and `internal`. Default none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The most bytes that the body of a request may have; a longer one is answered 413. Default 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Lets the process end although the server listens. Default false: it waits for `close`. */
  readonly unref?: boolean | undefined;
  /** Told that the server can be reached from other machines. Default: `console.warn`. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;

/** A fake that is reached over real HTTP. `await using` closes it. */
export interface FakeServer {
  /** `http://127.0.0.1:4010`; on this machine too where every address is listened on (`0.0.0.0`, `::`). */
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
  readonly site?: Site | undefined;
}

/** Answers what is beside the regions and the control; undefined where nothing is there. */
export type Site = (request: Request) => Response | undefined;

/** Starts the HTTP door: it only translates, and everything it serves comes from `fetch`. */
export async function startServer(behind: Behind, options: ListenOptions = {}): Promise<FakeServer> {
  const { port = 0, host = '127.0.0.1', allowedHosts = [] } = options;
  const { onWarning = warn } = options;
  const maxBodyBytes = checkPositive('maxBodyBytes', options.maxBodyBytes) ?? DEFAULT_MAX_BODY_BYTES;
  const wrong = allowedHosts.find((name) => !isHostName(name));
  if (wrong !== undefined) throw new TypeError(`allowedHosts takes names without a port, got "${wrong}".`);
  const rules = { allowedHosts: [host, ...allowedHosts], maxBodyBytes };
  const server = nodeHttp().createServer((incoming, outgoing) => {
    serve(behind, rules, incoming, outgoing).catch(() => cut(outgoing));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  // A server that listens on a port has an address of this form.
  const actual = (server.address() as AddressInfo).port;
  const url = `http://${hostInUrl(callableHost(host))}:${actual}`;
  if (!isThisMachine(host))
    onWarning(beyondThisMachine(`${hostInUrl(host)}:${actual}`, behind.control !== undefined));
  if (options.unref === true) server.unref();
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

function warn(message: string): void {
  console.warn(`[agent-platform-sdk] ${message}`);
}

function beyondThisMachine(address: string, hasControl: boolean): string {
  const more = hasControl ? ', lets things go wrong and has it post webhooks' : '';
  return `The fake listens at ${address}, beyond this machine: whoever reaches it reads and changes its records${more}.`;
}

/** The checks of a request before it is answered. */
interface Rules {
  readonly allowedHosts: readonly string[];
  readonly maxBodyBytes: number;
}

async function serve(
  behind: Behind,
  rules: Rules,
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const { host } = incoming.headers;
  if (!isOwnHost(host, rules.allowedHosts)) {
    const message = `The fake does not answer to the host ${JSON.stringify(host ?? '')}: allow it with --allow-host, or the option allowedHosts of listen.`;
    return refuse(errorResponse(421, 'unknown_host', message), outgoing);
  }
  const body = await readBody(incoming, rules.maxBodyBytes);
  if (body === undefined) {
    const message = `The body is larger than ${rules.maxBodyBytes} bytes, the option maxBodyBytes of listen.`;
    return refuse(errorResponse(413, 'body_too_large', message), outgoing);
  }
  const response = await answer(behind, incoming, (url) => toRequest(url, incoming, body, gone.signal));
  return sendResponse(response, outgoing);
}

/** Answers before the request is read to its end, so that the connection serves no other. */
function refuse(response: Response, outgoing: http.ServerResponse): Promise<void> {
  response.headers.set('connection', 'close');
  return sendResponse(response, outgoing);
}

function answer(
  { fetch, baseUrls, control, site }: Behind,
  incoming: http.IncomingMessage,
  toServe: (url: string) => Request,
): Response | Promise<Response> {
  const path = incoming.url ?? '/';
  const target = inProcessUrl(path, baseUrls);
  if (target !== undefined) return fetch(toServe(target));
  if (control !== undefined && /^\/_fake(?=[/?]|$)/.test(path)) {
    return control(toServe(`http://localhost${path}`));
  }
  const found = site?.(toServe(`http://localhost${path}`));
  if (found !== undefined) return found;
  return errorResponse(404, 'unknown_route', 'The fake serves its regions below /eu/v3 and /na/v3.');
}

/** `/eu/v3/tools/t` is the same as `/v3/tools/t` at the in-process address of region `eu`. */
function inProcessUrl(path: string, baseUrls: BaseUrls): string | undefined {
  const region = REGIONS.find((name) => path.startsWith(`/${name}/`));
  return region === undefined ? undefined : baseUrls[region] + path.slice(region.length + 1);
}

/** The bytes of a body; undefined where there are more than may be. */
async function readBody(incoming: http.IncomingMessage, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    // Without an encoding set, chunks are bytes.
    const bytes = chunk as Uint8Array;
    size += bytes.byteLength;
    if (size > most) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function toRequest(
  url: string,
  incoming: http.IncomingMessage,
  bytes: Uint8Array,
  signal: AbortSignal,
): Request {
  const method = incoming.method ?? 'GET';
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  // A standard Request of these methods can have no body; the specification has none either.
  const bodiless = method === 'GET' || method === 'HEAD';
  // A cast, because the bytes of a Buffer might be shared with another thread; these are not.
  const body = bodiless ? null : (bytes as Uint8Array<ArrayBuffer>);
  return new Request(url, { method, headers, body, signal });
}

async function sendResponse(response: Response, outgoing: http.ServerResponse): Promise<void> {
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
