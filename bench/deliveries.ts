/** A delivery: its time by default, the CPU of a server, and the cost of refusing a large body. */
import type { DeliveriesTask, ServerName, TakerName } from './deliveries-peers.js';
import { post } from './load.js';
import { type Running, start, writeSample } from './processes.js';
import { byFigure, type Effort, type Figures, inTurns, printTable } from './rounds.js';
import { webhooks } from './samples.js';

const TAKERS: readonly TakerName[] = ['JSON.parse', 'by hand', '@octokit/webhooks', 'this package'];
const SERVERS: readonly ServerName[] = ['node:http', 'this package'];
/** Deliveries in a turn. */
const COUNTS = { '0.3 kB': 2_000, '8 kB': 400, '780 kB': 6 };
const MEBIBYTE = 1_048_576;

const launch = (task: DeliveriesTask) => start('deliveries-peers.js', task);

export async function deliveries(effort: Effort): Promise<void> {
  for (const size of ['0.3 kB', '8 kB', '780 kB'] as const) await taking(size, effort);
  for (const size of ['0.3 kB', '8 kB'] as const) await serving(size, effort);
  await refusing(effort);
}

async function taking(size: keyof typeof webhooks, effort: Effort): Promise<void> {
  const file = writeSample(`webhook ${size}.json`, webhooks[size]());
  const count = Math.ceil(COUNTS[size] * effort.share);
  const results = await inTurns(TAKERS, effort, (peer) =>
    launch({ job: 'take', peer, file, deliveries: count }),
  );
  const table = { title: `A delivery of ${size}`, beside: ['JSON.parse', '@octokit/webhooks', 'by hand'] };
  printTable({ ...table, figure: 'time', unit: 'µs' }, results);
  // Includes the threads of the garbage collector.
  printTable({ ...table, figure: 'cpu', unit: 'µs of CPU' }, results);
}

async function serving(size: keyof typeof webhooks, effort: Effort): Promise<void> {
  const body = webhooks[size]();
  const count = Math.ceil(1_500 * effort.share);
  const results = await inTurns(SERVERS, effort, async (name) => {
    const server = await launch({ job: 'serve', server: name });
    await cpuOf(server, body, count * 5);
    return { measure: () => cpuOf(server, body, count), stop: () => server.stop() };
  });
  const title = `A delivery of ${size} over HTTP, 32 connections`;
  printTable({ title, figure: 'cpu', unit: 'µs of CPU of the server', beside: ['node:http'] }, results);
}

/** CPU of the server for each delivery. */
async function cpuOf(server: Running, body: string, count: number): Promise<Figures> {
  const { cpu: before = 0 } = await server.measure();
  // Never sleeps: waking this process would be charged to the server, mostly to one that lets it sleep.
  const stay = () => {
    awake = setImmediate(stay);
  };
  let awake = setImmediate(stay);
  await post(server.port, body, count, 32);
  clearImmediate(awake);
  const { cpu: after = 0 } = await server.measure();
  return { cpu: (after - before) / count };
}

async function refusing(effort: Effort): Promise<void> {
  const results = await byFigure(effort, () => launch({ job: 'refuse', bytes: 8 * MEBIBYTE }));
  const title = 'Refusing 8 MiB of brackets';
  printTable({ title, figure: 'time', unit: 'ms', beside: ['JSON.parse'] }, results);
}
