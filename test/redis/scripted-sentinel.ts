import { createServer, type Socket } from 'node:net';
import { eventually } from '../bullmq/inbox-fixture.js';
import { listenOnLoopback } from '../support/loopback.js';

/** A Sentinel that answers when a test lets it: with real ones, these moments come by chance. */
export interface ScriptedSentinel {
  /** The options by which ioredis asks it for the Redis that takes writes. */
  readonly connection: { readonly sentinels: { host: string; port: number }[]; readonly name: string };
  /** Resolves when so many clients hear of failovers: each of them is connected to the Redis then. */
  untilHeardBy(clients: number): Promise<void>;
  /** From now on, whoever asks for the Redis waits. Resolves when so many clients do. */
  holdUntilAsked(clients: number): Promise<void>;
  /** Announces a failover to all who listen. */
  tellFailover(): void;
  /** Answers all who wait, and all who ask from now on. */
  release(): void;
  /** From now on it is gone: whoever connects is cut off. */
  stop(): void;
}

const CHANNEL = '+switch-master';

const list = (...items: readonly string[]) =>
  [`*${items.length}`, ...items.flatMap((item) => [`$${item.length}`, item]), ''].join('\r\n');

/** Watches over a Redis of this machine, until the test ends. */
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
      const answer = () => socket.write(list('127.0.0.1', String(redisPort)));
      if (isHeld) asking.push(answer);
      else answer();
    } else if (words.includes('sentinels')) socket.write('*0\r\n');
    else if (words.includes('hello')) socket.write("-ERR unknown command 'HELLO'\r\n");
    else socket.write('+OK\r\n');
  };
  const server = createServer((socket) => {
    if (isGone) return socket.destroy();
    socket.on('error', () => undefined).on('close', () => listeners.delete(socket));
    // Each command comes as a list; none here holds a list itself.
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
        if (listeners.size < clients) throw new Error('not all hear of failovers');
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
      for (const answer of asking.splice(0)) answer();
    },
    stop() {
      isGone = true;
      for (const socket of listeners) socket.destroy();
    },
  };
}
