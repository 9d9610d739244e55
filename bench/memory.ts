/** Memory: of a call that waits, of what is kept of events, and of calls that were aborted. */
import type { CallsTask, ClientName } from './calls-peers.js';
import type { MemoryTask } from './memory-peers.js';
import { type Running, start } from './processes.js';
import { type Effort, inRounds, printTable } from './rounds.js';
import { conversationOf } from './samples.js';

const CLIENTS: readonly ClientName[] = ['fetch', 'ky, set up', 'openai', 'retell-sdk', 'this package'];

export async function memory({ share }: Effort): Promise<void> {
  const of = (count: number) => Math.ceil(count * share);
  const rounds = of(3);
  const hanging: CallsTask = { job: 'hang' };
  const server = await start('calls-peers.js', hanging);
  const url = `http://127.0.0.1:${server.port}`;
  const clients = await inRounds(CLIENTS, rounds, (client) => {
    const task: CallsTask = { job: 'pending', client, url, calls: of(1_000) };
    return figures(start('calls-peers.js', task));
  });
  const table = { figure: 'bytes', unit: 'bytes of heap' };
  printTable(
    { ...table, title: 'A call that waits for its response', beside: ['fetch', 'ky, set up'] },
    clients,
  );

  const jobs = {
    'a remembered key': { job: 'keys', count: of(50_000) },
    'an event of 1 kB that waits for Redis': { job: 'events', body: conversationOf(1_000), count: of(1_000) },
    'left of each of 20,000 calls that were aborted': { job: 'aborts', url, count: of(20_000) },
  } satisfies Record<string, MemoryTask>;
  const names = Object.keys(jobs) as (keyof typeof jobs)[];
  const kept = await inRounds(names, rounds, (name) => figures(start('memory-peers.js', jobs[name])));
  printTable({ ...table, title: 'What this package keeps', beside: [] }, kept);
  await server.stop();
}

/** The figures of a process that measures once. */
async function figures(starting: Promise<Running>) {
  const running = await starting;
  const measured = await running.measure();
  await running.stop();
  return measured;
}
