/** Posts webhooks to a server on this machine, over keep-alive connections. */
import { connect, type Socket } from 'node:net';
import { aroundCreatedAt } from './child.js';

/** `createdAt` of the last event posted. Each event has its own, or it would be a duplicate. */
let createdAt = 1_700_000_000_000;

/** Posts `count` webhooks over `connections` connections; resolves when each has its 200. */
export async function post(port: number, body: string, count: number, connections: number): Promise<void> {
  const [head, tail] = aroundCreatedAt(body);
  const start = [
    'POST /webhooks HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const before = `${start.join('\r\n')}\r\n\r\n${head}`;
  let left = count;
  const lane = async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    while (left > 0) {
      left -= 1;
      createdAt += 1;
      socket.write(`${before}${createdAt}${tail}`);
      await responseOn(socket);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: Math.min(connections, count) }, lane));
}

/** Resolves when the response to the one request in flight has come, which fits into one packet. */
function responseOn(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.off('error', reject);
      if (data.includes('HTTP/1.1 200')) resolve();
      else reject(new Error(data.toString()));
    });
  });
}
