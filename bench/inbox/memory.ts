/**
 * The memory of Redis for what an inbox keeps: for an event that waits, a dead letter, a key that is remembered after its event was
 * handled, and a newest snapshot; and what that comes to at a rate of events.
 *
 * `npx tsx bench/inbox/memory.ts`, or for a rate and a retention of your own: `--rate 500 --hours 24`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { WebhookPayloadOf } from 'agent-platform-sdk';
import { type BullMQInbox, createBullMQInbox, type WorkOptions } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { startRedis } from '../../scripts/redis-server.js';

const COUNT = 5_000;
const HOUR = 3_600;
const QUEUE = 'memory';

const { values } = parseArgs({
  options: { rate: { type: 'string', default: '10000' }, hours: { type: 'string', default: '24' } },
});
const [rate, hours] = [Number(values.rate), Number(values.hours)];
const server = await startRedis();
const redis = new Redis(server.url);
try {
  const [small, large] = [await measure(1_000), await measure(10_000)];
  console.log(`Bytes of Redis, of ${COUNT} each:\n`);
  row('', 'event of 1 kB', 'event of 10 kB');
  row('waits', small.waiting, large.waiting);
  row('is a dead letter', small.dead, large.dead);
  row('was handled: its key', small.key, large.key);
  row('is the newest of its key (newestOnly)', small.newest, large.newest);
  console.log(`\nAt ${rate} events per second:\n`);
  row('', 'GB');
  row(`keys, retention ${hours} h`, gigabytes(rate * hours * HOUR * small.key));
  row('keys, retention 1 h', gigabytes(rate * HOUR * small.key));
  row('an hour of events of 1 kB that wait', gigabytes(rate * HOUR * small.waiting));
} finally {
  await redis.quit();
  await server.stop();
}

/** Measures with events of about so many bytes. */
async function measure(bytes: number) {
  await redis.flushall();
  const inbox = createBullMQInbox({ connection: server.url, queueName: QUEUE, attempts: 1, logLevel: 'off' });
  // Memory that is taken once is not counted.
  await store(inbox, COUNT, bytes, 'warm');
  await work(inbox, true);
  const before = await usedMemory();
  await store(inbox, COUNT, bytes, 'waits');
  const waiting = (await usedMemory()) - before;
  await work(inbox, true);
  const key = (await usedMemory()) - before;
  await store(inbox, COUNT, bytes, 'fails');
  await work(inbox, false);
  const dead = (await usedMemory()) - before - key;
  await store(inbox, COUNT, bytes, 'is newest');
  await work(inbox, true, {
    newestOnly: ({ payload }) => (payload as WebhookPayloadOf<'lead_captured'>).leadEmail,
  });
  const newest = (await usedMemory()) - before - key - dead - key;
  await inbox.close();
  return { waiting: waiting / COUNT, key: key / COUNT, dead: dead / COUNT, newest: newest / COUNT };
}

async function store(inbox: BullMQInbox, count: number, bytes: number, name: string): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const some = Array.from({ length: 100 }, (_, index) => {
      const key = Buffer.from(`${name} ${from + index}`)
        .toString('hex')
        .padStart(64, '0');
      const receivedAt = Date.now();
      const payload = {
        agentId: 'agent_1',
        leadName: 'x'.repeat(bytes - 200),
        leadEmail: `${index}-${from}@example.com`,
        channel: 'web-chat',
        operation: 'captured',
        createdAt: receivedAt,
      };
      return inbox.store({
        key,
        type: 'lead_captured',
        payload,
        deliveryId: crypto.randomUUID(),
        receivedAt,
      });
    });
    await Promise.all(some);
  }
}

async function work(inbox: BullMQInbox, succeeds: boolean, options: WorkOptions = {}): Promise<void> {
  const process = () => (succeeds ? Promise.resolve() : Promise.reject(new Error('no')));
  const worker = inbox.work({ process }, { concurrency: 100, ...options });
  while ((await inbox.health()).depth > 0) await sleep(100);
  await worker.close();
}

/** Without the buffers of connections, and the stream of the last 10 000 events that BullMQ keeps of each queue. */
async function usedMemory(): Promise<number> {
  await redis.xtrim(`bull:${QUEUE}:events`, 'MAXLEN', 0);
  const info = await redis.info('memory');
  const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return bytes('used_memory') - bytes('mem_clients_normal');
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(0);
}

function row(name: string, ...cells: readonly (string | number)[]): void {
  const shown = cells.map((cell) =>
    typeof cell === 'number' ? Math.round(cell).toLocaleString('en') : cell,
  );
  console.log(name.padEnd(38) + shown.map((cell) => cell.padStart(16)).join(''));
}
