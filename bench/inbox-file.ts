/** The inboxes in a file, in Postgres and on a Redis that syncs each write too: on the same disk, in the same run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacksPostgres, startPostgres } from '../test/support/postgres-server.js';
import { startRedis } from './inbox.js';
import type { FileTask } from './inbox-file-peers.js';
import { post } from './load.js';
import { start } from './processes.js';
import { type Effort, inTurns, type Peer, printTable } from './rounds.js';
import { conversationOf } from './samples.js';

const EVENT = conversationOf(1_000);
const CONNECTIONS = 64;

const TABLES = [
  { figure: 'accepted', title: 'Accepted over 64 connections', unit: 'events/s' },
  { figure: 'one', title: 'Accepted over one connection', unit: 'events/s' },
  { figure: 'worked', title: 'Worked off', unit: 'events/s' },
  { figure: 'delay', title: "Delay of the receiver's event loop, p99", unit: 'ms' },
];

export async function inboxInFile({ rounds, share }: Effort): Promise<void> {
  if (process.versions.sqlite === undefined) return console.log('Needs a Node with SQLite: 24.15 or later.');
  for (const backlog of process.env.BACKLOG ? [Number(process.env.BACKLOG)] : [0, 100_000]) {
    const [count, before] = [Math.ceil(2_000 * share), Math.ceil(backlog * share)];
    const effort = { rounds: Math.ceil(rounds / 2), share };
    const peers = ['file', ...(lacksPostgres() ? [] : ['Postgres' as const]), 'Redis'] as const;
    const results = await inTurns(peers, effort, (peer) => startPeer(peer, count, before));
    for (const { figure, title, unit } of TABLES) {
      printTable(
        { title: `${title}, events of 1 kB, ${before} waiting`, figure, unit, beside: ['Redis'] },
        results,
      );
    }
  }
}

function startServer(peer: FileTask['peer'], folder: string) {
  if (peer === 'Postgres') return startPostgres({ settings: [] });
  const fsync = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', folder];
  return peer === 'Redis' ? startRedis(fsync) : undefined;
}

async function startPeer(peer: FileTask['peer'], count: number, backlog: number): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const server = await startServer(peer, folder);
  const place = server?.url ?? join(folder, 'webhooks.db');
  const launch = (side: FileTask['side'], events: number) =>
    start('inbox-file-peers.js', { side, peer, place, count: events } satisfies FileTask);
  const [receiver, worker] = await Promise.all([
    launch('receive', count),
    launch('work', count + Math.ceil(count / 10)),
  ]);
  const accept = (events: number, connections = CONNECTIONS) =>
    post(receiver.port, EVENT, events, connections);
  const turn = async () => {
    await receiver.measure();
    const begun = performance.now();
    await accept(count);
    const accepted = (count * 1_000) / (performance.now() - begun);
    const { delay = Number.NaN } = await receiver.measure();
    const second = performance.now();
    await accept(Math.ceil(count / 10), 1);
    const one = (Math.ceil(count / 10) * 1_000) / (performance.now() - second);
    const { worked = Number.NaN } = await worker.measure();
    return { accepted, one, worked, delay };
  };
  // What runs for months is compiled code.
  await turn();
  await accept(backlog);
  return {
    measure: turn,
    async stop() {
      await Promise.all([receiver.stop(), worker.stop()]);
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
