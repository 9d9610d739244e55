/** Shared by the processes of the peers: each starts with a task, then serves or reports figures. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { Figures } from './rounds.js';

/** The secret of every webhook of the bench. */
export const SECRET = 'bench-workspace-secret';

/** The text of a webhook before and after its `createdAt`: 13 digits that make each delivery a new event. */
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
 * Imports a package by its name. The project does not install the peers, so their types are missing: each use
 * declares the part that it calls, and the first call fails if the declaration is wrong.
 */
export function load<Part>(name: string): Promise<Part> {
  return import(name) as Promise<Part>;
}

/** CPU time of this process in µs, with all threads. Other programs disturb it less than elapsed time. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes of the heap that are in use, once sockets and timers have ended and the rest was collected. */
export async function heapBytes(): Promise<number> {
  v8.setFlagsFromString('--expose-gc');
  // A context that is made from now on has it.
  const collect = vm.runInNewContext('gc') as () => void;
  await setTimeout(1_000);
  // Finalizers run between two collections, and free more.
  for (let round = 0; round < 4; round += 1) {
    collect();
    await setTimeout(20);
  }
  return process.memoryUsage().heapUsed;
}

/** Makes `calls` calls, `width` of them at once. */
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

/** Reports that this process is ready, and then figures on request: by default the CPU that it has used. */
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

/** Listens on a free port, and reports that this process is ready. */
export function serve(listener: RequestListener, measure?: () => Figures): void {
  const server = createServer(listener);
  // Must not close a connection that the sender is about to use.
  server.keepAliveTimeout = 0;
  // A server that listens on TCP has an address with a port.
  server.listen(0, '127.0.0.1', () => ready(measure, (server.address() as AddressInfo).port));
}
