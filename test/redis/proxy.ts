import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listenOnLoopback } from '../support/loopback.js';

/** A TCP proxy in front of Redis that can be held up, cut and led elsewhere. */
export interface RedisProxy {
  readonly port: number;
  readonly url: string;
  /** Holds back the responses of all connections until `release`. */
  hold(): void;
  /** Like `hold`, from the moment at which a client sends this text. */
  holdFrom(text: string): void;
  release(): void;
  /** Resets every connection, wherever it is in a command or a response. New ones are accepted. */
  cut(): void;
  /** Leads new connections to another port. Those that are open stay where they are. */
  lead(target: number): void;
  /** The number of connections that were made. */
  readonly made: number;
}

/**
 * Starts a proxy for a port of this machine, until the test ends. Responses arrive `lag` milliseconds late.
 */
export async function startProxy(target: number, lag = 0): Promise<RedisProxy> {
  const flows = new Set<{ readonly start: () => void; readonly stop: () => void }>();
  const sockets = new Set<Socket>();
  let [isHeld, made, port] = [false, 0, target];
  let trigger: string | undefined;
  const hold = () => {
    trigger = undefined;
    isHeld = true;
    for (const { stop } of flows) stop();
  };
  const server = createServer((inside) => {
    made += 1;
    const outside = connect(port, '127.0.0.1');
    const responses = lag === 0 ? outside : outside.pipe(delay(lag));
    const flow = {
      start: () => void responses.pipe(inside),
      stop: () => void responses.unpipe(inside).pause(),
    };
    flows.add(flow);
    if (!isHeld) flow.start();
    // Before the command is passed on.
    inside.on('data', (chunk) => {
      if (trigger !== undefined && chunk.includes(trigger)) hold();
    });
    inside.pipe(outside);
    const end = () => {
      flows.delete(flow);
      inside.destroy();
      outside.destroy();
    };
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          end();
        });
    }
  });
  const ownPort = await listenOnLoopback(server);
  return {
    port: ownPort,
    url: `redis://127.0.0.1:${ownPort}`,
    hold,
    holdFrom(text) {
      trigger = text;
    },
    release() {
      if (!isHeld) return;
      isHeld = false;
      for (const { start } of flows) start();
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    lead(other) {
      port = other;
    },
    get made() {
      return made;
    },
  };
}

/** Passes on each piece `ms` milliseconds after it came, while the next one is accepted at once. */
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
