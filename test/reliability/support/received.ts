import { createServer, type RequestListener } from 'node:http';
import { listenOnLoopback } from '../../support/loopback.js';

/** Serves on loopback, and says when all connections are gone. Closed when the test ends. */
export async function serveReceiver(listener: RequestListener): Promise<{ url: string; open: () => number }> {
  let open = 0;
  const server = createServer(listener);
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  return { url: `http://127.0.0.1:${await listenOnLoopback(server)}`, open: () => open };
}
