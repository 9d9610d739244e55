import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections (Linux: from 32 768). */
const RANGE = { from: 20_000, to: 32_000 };

let next = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from));

/**
 * A port that stays free while its server is restarted, and is given once in a process. One from the range of outgoing
 * connections would not stay so: who tries to connect meanwhile can be given that very port, and then talks to itself.
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
