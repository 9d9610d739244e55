import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A sender of webhooks on a bare connection, which may do with it what it likes. */
export interface Sender {
  readonly socket: Socket;
  /** The statuses answered so far. */
  readonly statuses: () => readonly number[];
  /** Resolves when the other side has ended the connection. */
  readonly ended: Promise<unknown>;
}

/** Opens a connection, which is closed when the test ends. */
export async function dial(url: string): Promise<Sender> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  const ended = once(socket, 'close').catch(() => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return {
    socket,
    ended,
    statuses: () => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
  };
}

/** Opens connections one after the other: more at once than a listener can queue would wait for seconds. */
export async function dialAll(url: string, count: number): Promise<readonly Sender[]> {
  const senders: Sender[] = [];
  while (senders.length < count) senders.push(await dial(url));
  return senders;
}

/** A delivery as bytes; its length can be made a wrong one. */
export function posted(body: string, length: number = Buffer.byteLength(body)): string {
  return `POST /hooks HTTP/1.1\r\nhost: receiver\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}
