import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Lets a server listen on loopback until the test ends, and returns its port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Some tests open thousands of connections at once.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  // A server that listens on TCP has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** Serves HTTP on loopback until the test ends. Returns the address. */
export async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listenOnLoopback(createServer(listener))}`;
}

/** Answers every request on loopback the same, until the test ends. Returns the address. */
export function answering(status: number, headers: OutgoingHttpHeaders = {}, body = ''): Promise<string> {
  return serve((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });
}
