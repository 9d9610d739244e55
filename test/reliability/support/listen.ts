import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Lets a server of connections listen on loopback; resolves with its port. It and they are gone when the test ends. */
export async function listen(server: Server, backlog?: number): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog });
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  // It listens on a port.
  return (server.address() as AddressInfo).port;
}
