import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../../support/loopback.js';

/** A request as it came over the wire. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Answers on a bare connection, in any way at all. */
export type Behaviour = (socket: Socket, request: RawRequest) => void;

export interface RawServer {
  readonly url: string;
  /** Every request that has come whole. */
  readonly requests: readonly RawRequest[];
  /** Connections that have carried a request and are open at this end. Node opens spare ones, too. */
  readonly open: () => number;
}

/** A TCP server on loopback that reads HTTP requests and leaves the answer to the test. Closed when the test ends. */
export async function startRawServer(behave: Behaviour): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const used = new Set<Socket>();
  const server = createServer((socket) => {
    socket.once('close', () => used.delete(socket));
    socket.on('error', () => undefined);
    readRequests(socket, (request) => {
      used.add(socket);
      requests.push(request);
      behave(socket, request);
    });
  });
  const port = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, requests, open: () => used.size };
}

function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (let next = takeRequest(text); next !== undefined; next = takeRequest(text)) {
      text = next.rest;
      onRequest(next.request);
    }
  });
}

function takeRequest(text: string): { request: RawRequest; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = new Map(lines.map((line) => splitHeader(line)));
  const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0);
  if (text.length < bodyEnd) return undefined;
  return {
    request: { method, target, headers, body: text.slice(end + 4, bodyEnd) },
    rest: text.slice(bodyEnd),
  };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
