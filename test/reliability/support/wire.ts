import type { Socket } from 'node:net';

/** An answer as bytes: nothing is added to the headers that are given. */
export function wire(status: string, headers: readonly string[], body: string | Uint8Array = ''): Buffer {
  const head = [`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

const JSON_TYPE = 'content-type: application/json';

/** For one call alone: a retry must not meet a connection that is about to end. */
const CLOSE = 'connection: close';

/** The three ways in which HTTP/1.1 tells where a body ends; chunks once more for a server that keeps no connection. */
export const framings = {
  'with a length': (status: string, body: string) =>
    wire(status, [JSON_TYPE, CLOSE, `content-length: ${Buffer.byteLength(body)}`], body),
  'in chunks': (status: string, body: string) =>
    wire(status, [JSON_TYPE, 'transfer-encoding: chunked'], inChunks(body)),
  'in chunks, by a server that closes': (status: string, body: string) =>
    wire(status, [JSON_TYPE, CLOSE, 'transfer-encoding: chunked'], inChunks(body)),
  'until the end of the connection': (status: string, body: string) => wire(status, [JSON_TYPE, CLOSE], body),
} as const;

export type Framing = keyof typeof framings;

function inChunks(body: string): string {
  const middle = body.length >> 1;
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
  return `${chunk(body.slice(0, middle))}${chunk(body.slice(middle))}0\r\n\r\n`;
}

/** The ways in which an answer can end before its time. */
export const breaks = {
  closed: (socket: Socket, part: Uint8Array) => void socket.end(part),
  reset: (socket: Socket, part: Uint8Array) => void socket.write(part, () => socket.resetAndDestroy()),
  stalled: (socket: Socket, part: Uint8Array) => void socket.write(part),
} as const;

export type Break = keyof typeof breaks;

/** Sends one byte at a time. */
export function drip(socket: Socket, bytes: Uint8Array, ms: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < bytes.length) socket.write(bytes.subarray(sent, sent + 1));
    else clearInterval(timer);
    sent += 1;
  }, ms);
  socket.once('close', () => clearInterval(timer));
}
