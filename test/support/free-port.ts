import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems assign to outgoing connections (Linux: from 32 768). */
const RANGE = { from: 20_000, to: 32_000 };

let next = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from));

/**
 * Returns a port that stays free while its server restarts; a process gets each port once. A port from the
 * range of outgoing connections would not stay free: a client that tries to connect meanwhile may be assigned
 * the same port, and then talks to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < RANGE.to ? port + 1 : RANGE.from;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const listening = new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!(await listening)) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}
