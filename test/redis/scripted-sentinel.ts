import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { listenOnLoopback } from '../support/loopback.js';
import { openClient } from './servers.js';

const CHANNEL = '+switch-master';

const list = (...items: readonly string[]) =>
  [`*${items.length}`, ...items.flatMap((item) => [`$${item.length}`, item]), ''].join('\r\n');

export type ScriptedSentinel = Awaited<ReturnType<typeof scriptSentinel>>;

/**
 * Starts a Sentinel for a Redis of this machine, until the test ends. It reports a failover at a given moment: with
 * real ones, that comes by chance.
 */
export async function scriptSentinel(redisPort: number) {
  const listeners = new Set<Socket>();
  const asking: (() => void)[] = [];
  let [isHeld, isGone] = [false, false];
  const reply = (socket: Socket, command: string) => {
    const words = command.toLowerCase();
    const isSubscription = words.includes('subscribe');
    if (isSubscription) listeners.add(socket);
    if (isSubscription) socket.write(`${list('subscribe', CHANNEL).replace('*2', '*3')}:1\r\n`);
    else if (words.includes('get-master-addr')) {
      const respond = () => socket.write(list('127.0.0.1', String(redisPort)));
      if (isHeld) asking.push(respond);
      else respond();
    } else if (words.includes('sentinels')) socket.write('*0\r\n');
    else if (words.includes('hello')) socket.write("-ERR unknown command 'HELLO'\r\n");
    else socket.write('+OK\r\n');
  };
  const server = createServer((socket) => {
    if (isGone) return socket.destroy();
    socket.on('error', () => undefined).on('close', () => listeners.delete(socket));
    // Each command is a list, and contains none itself.
    socket.on('data', (data) => {
      const [, ...commands] = String(data).split(/^\*\d+\r\n/m);
      for (const command of commands) reply(socket, command);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    /** Options with which ioredis asks it for the Redis that takes writes. */
    connection: { sentinels: [{ host: '127.0.0.1', port }], name: 'inbox' },
    /** Cuts the connections of `clients` clients, and announces a failover just as they ask where to connect again. */
    async failOver(clients: number, meanwhile: () => void = () => undefined) {
      // They listen for failovers once they are connected.
      await eventually(() => expect(listeners.size).toBeGreaterThanOrEqual(clients));
      isHeld = true;
      await openClient(`redis://127.0.0.1:${redisPort}`).call('CLIENT', 'KILL', 'TYPE', 'normal');
      await eventually(() => expect(asking.length).toBeGreaterThanOrEqual(clients));
      meanwhile();
      for (const socket of listeners) socket.write(list('message', CHANNEL, 'inbox'));
      // It arrives before the response, which is sent on another connection.
      await sleep(100);
      isHeld = false;
      for (const respond of asking.splice(0)) respond();
    },
    /** From now on, it closes every connection. */
    stop() {
      isGone = true;
      for (const socket of listeners) socket.destroy();
    },
  };
}
