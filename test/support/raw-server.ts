import { createServer, type Socket } from 'node:net';
import { type AgentPlatform, AgentPlatformError, type RequestOptions } from 'agent-platform-sdk';
import { listenOnLoopback } from './loopback.js';
import { success } from './server.js';

/** Starts a TCP server on loopback that reads HTTP requests; the test writes the bytes of each response. */
export async function startRawServer(respond: (socket: Socket, head: string) => void) {
  const requests: string[] = [];
  const used = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.once('close', () => used.delete(socket));
    socket.on('data', (chunk: string) => {
      text += chunk;
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = '';
      requests.push(head);
      used.add(socket);
      respond(socket, head);
    });
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  /** Connections that carried a request and are still open. */
  const open = () => used.size;
  return { url, requests, open };
}

/** Returns a response as bytes, with exactly these headers. */
export function wire(status: string, headers: readonly string[], body: string | Uint8Array = ''): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

/** A call, the body of its successful response, and the value that it then resolves with. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly make: (platform: AgentPlatform, options?: RequestOptions) => Promise<unknown>;
  readonly body: string;
  readonly value: unknown;
}

/** One call of each method. */
export const calls: readonly Call[] = [
  {
    method: 'GET',
    make: (platform, options) => platform.tools.get('t1', options),
    body: JSON.stringify(success({ id: 't1' })),
    value: { id: 't1' },
  },
  {
    method: 'POST',
    make: (platform, options) => platform.variables.create('a1', { key: 'k' }, options),
    body: JSON.stringify(success({ id: 'v1', key: 'k' })),
    value: { id: 'v1', key: 'k' },
  },
  {
    method: 'DELETE',
    make: (platform, options) => platform.workspaces.delete('w1', options),
    body: JSON.stringify({ success: true, message: 'gone' }),
    value: undefined,
  },
];

/**
 * Returns how a call ended: its type is `value`, or that of the error. Rejects if it failed with an error that is not
 * the package's.
 */
export async function outcomeOf(call: Promise<unknown>) {
  try {
    return { type: 'value', value: await call, unknown: false };
  } catch (error) {
    if (!(error instanceof AgentPlatformError)) throw error;
    return { type: error.type, unknown: error.outcomeUnknown };
  }
}
