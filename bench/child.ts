/** What the processes of the peers share. Their script starts with a task, and reports figures or serves. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Figures } from './rounds.js';

/** The secret of every webhook of the bench. */
export const SECRET = 'bench-workspace-secret';

/** The head and tail of a webhook around its 13 digits of `createdAt`, which make each delivery another event. */
export function aroundCreatedAt(body: string): [head: string, tail: string] {
  const mark = '"createdAt":';
  const at = body.indexOf(mark) + mark.length;
  return [body.slice(0, at), body.slice(at + 13)];
}

/** The task of this process, from the table that started it. */
export function readTask(): unknown {
  return JSON.parse(process.argv[2] ?? '{}');
}

/**
 * A package by its name. The project does not install the peers, so no types of theirs are at hand: each use states the part of the
 * package that it calls, which the first call would prove wrong.
 */
export function load<Part>(name: string): Promise<Part> {
  return import(name) as Promise<Part>;
}

/** CPU time of this process in microseconds, all threads included. Other programs disturb it less than the clock. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Makes so many calls, `width` of them at once. */
export async function inFlight(call: () => Promise<unknown>, calls: number, width: number): Promise<void> {
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Reports that this process is ready, and from then on figures when asked: by default the CPU it has used. */
export function ready(
  measure: () => Figures | Promise<Figures> = () => ({ cpu: cpuMicros() }),
  port = 0,
): void {
  process.on('message', () => {
    void Promise.resolve(measure()).then((figures) => process.send?.(figures));
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.(port);
}

/** Listens on a free port, and is ready. */
export function serve(listener: RequestListener): void {
  const server = createServer(listener);
  // A connection that the sender is about to use must not be closed under it.
  server.keepAliveTimeout = 0;
  // A server that listens on TCP has an address with a port.
  server.listen(0, '127.0.0.1', () => ready(undefined, (server.address() as AddressInfo).port));
}
