import { createServer, type Socket } from 'node:net';
import { type AgentPlatform, AgentPlatformError, type RequestOptions } from 'agent-platform-sdk';
import { listenOnLoopback } from './loopback.js';
import { success } from './server.js';

/** A TCP server on loopback that reads HTTP requests and leaves the bytes of each answer to the test. */
export async function startRawServer(answer: (socket: Socket, head: string) => void) {
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
      answer(socket, head);
    });
  });
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  /** Connections that carried a request and are still open. */
  const open = () => used.size;
  return { url, requests, open };
}

/** An answer as bytes, with exactly these headers. */
export function wire(status: string, headers: readonly string[], body: string | Uint8Array = ''): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

/** A call of each method, the body of its success, and the value that it then resolves with. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly make: (platform: AgentPlatform, options?: RequestOptions) => Promise<unknown>;
  readonly body: string;
  readonly value: unknown;
}

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

export interface Outcome {
  /** `value`, or the type of the error. */
  readonly type: string;
  readonly value?: unknown;
  readonly unknown: boolean;
}

/** How a call ended. Rejects if it failed with anything but an error of the package. */
export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { type: 'value', value: await call, unknown: false };
  } catch (error) {
    if (!(error instanceof AgentPlatformError)) throw error;
    return { type: error.type, unknown: error.outcomeUnknown };
  }
}
