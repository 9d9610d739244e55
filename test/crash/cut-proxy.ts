import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A network between the processes and Redis, which can be cut and led elsewhere. */
export interface CutProxy {
  readonly port: number;
  /** Closes every connection at once, wherever it is in a command or an answer. What is on its way is gone. */
  cut(): void;
  /** Leads new connections to another port. Those that are open stay where they are. */
  lead(target: number): void;
  close(): void;
}

/** `lag` is the number of milliseconds that what the target answers is on its way. */
export async function startProxy(target: number, lag = 0): Promise<CutProxy> {
  let port = target;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  };
  const server = createServer((inside) => {
    const outside = track(connect(port, '127.0.0.1'));
    track(inside).pipe(outside);
    if (lag === 0) outside.pipe(inside);
    else outside.pipe(delay(lag)).pipe(inside);
    inside.on('close', () => outside.destroy());
    outside.on('close', () => inside.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    lead(to) {
      port = to;
    },
    close() {
      cut();
      server.close();
    },
  };
}

/** Each piece comes out so many milliseconds after it went in; the next one goes in at once. */
function delay(ms: number): Transform {
  return new Transform({
    readableHighWaterMark: 2 ** 30,
    transform(chunk, _, next) {
      setTimeout(() => this.push(chunk), ms);
      next();
    },
    flush: (end) => void setTimeout(end, ms),
  });
}
