import { createServer, type Socket } from 'node:net';
import { eventually } from '../inbox/fixture.js';
import { listenOnLoopback } from '../support/loopback.js';

/** A Sentinel that responds when a test lets it: with real ones, these moments come by chance. */
export interface ScriptedSentinel {
  /** Options with which ioredis asks it for the Redis that takes writes. */
  readonly connection: { readonly sentinels: { host: string; port: number }[]; readonly name: string };
  /** Resolves when `clients` clients listen for failovers: each of them is connected to the Redis then. */
  untilHeardBy(clients: number): Promise<void>;
  /** From now on, clients that ask for the Redis wait. Resolves when `clients` clients do. */
  holdUntilAsked(clients: number): Promise<void>;
  /** Announces a failover to all clients that listen. */
  tellFailover(): void;
  /** Responds to all clients that wait, and to all that ask from now on. */
  release(): void;
  /** From now on, it closes every connection. */
  stop(): void;
}

const CHANNEL = '+switch-master';

const list = (...items: readonly string[]) =>
  [`*${items.length}`, ...items.flatMap((item) => [`$${item.length}`, item]), ''].join('\r\n');

/** Starts a Sentinel for a Redis of this machine, until the test ends. */
export async function scriptSentinel(redisPort: number): Promise<ScriptedSentinel> {
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
    connection: { sentinels: [{ host: '127.0.0.1', port }], name: 'inbox' },
    untilHeardBy: (clients) =>
      eventually(() => {
        if (listeners.size < clients) throw new Error('not all listen for failovers');
      }),
    async holdUntilAsked(clients) {
      isHeld = true;
      await eventually(() => {
        if (asking.length < clients) throw new Error('not all have asked');
      });
    },
    tellFailover() {
      for (const socket of listeners) socket.write(list('message', CHANNEL, 'inbox'));
    },
    release() {
      isHeld = false;
      for (const respond of asking.splice(0)) respond();
    },
    stop() {
      isGone = true;
      for (const socket of listeners) socket.destroy();
    },
  };
}
