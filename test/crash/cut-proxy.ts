import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between the processes and Redis, which can be cut. */
export interface CutProxy {
  readonly port: number;
  /** Closes every connection at once, wherever it is in a command or an answer. */
  cut(): void;
  close(): void;
}

export async function startProxy(target: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  };
  const server = createServer((inside) => {
    const outside = track(connect(target, '127.0.0.1'));
    track(inside).pipe(outside).pipe(inside);
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const close = () => {
    cut();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, cut, close };
}
