import { getEventListeners } from 'node:events';
import { AgentPlatform, createMemoryDedupe, createWebhookReceiver } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { bytesInUse } from '../../support/memory.js';
import { inForm, seed, seededRandom } from '../support/form.js';
import { MIB } from '../support/heap.js';
import { tally } from '../support/outcome.js';
import { serveReceiver } from '../support/received.js';
import { countResources, watchProcess } from '../support/watch.js';
import { clientLap } from './client-lap.js';
import { newBook, note, webhookLap } from './webhook-lap.js';

const DURATION = inForm({ short: 20_000, long: 600_000 });

/** Everything that can go wrong over HTTP, at random. About every third request is struck. */
function injectFaults({ faults }: FakePlatform, random: () => number): void {
  const fault = { times: 'always', rate: 0.03 } as const;
  const draw = () => ({ ...fault, seed: Math.floor(random() * 2 ** 31) });
  faults.inject({ ...draw(), status: 503, retryAfter: 0 });
  faults.inject({ ...draw(), status: 500, body: 'none', acts: true });
  faults.inject({ ...draw(), status: 429, retryAfter: 0 });
  faults.inject({ ...draw(), status: 404 });
  faults.inject({ ...draw(), kind: 'html' });
  // A deletion that is answered 200 has happened, whatever its body is.
  faults.inject({ ...draw(), kind: 'empty', acts: true });
  faults.inject({ ...draw(), kind: 'wrong-shape', acts: true });
  faults.inject({ ...draw(), kind: 'truncated' });
  faults.inject({ ...draw(), kind: 'reset', acts: true });
  faults.inject({ ...draw(), kind: 'reset', at: 'body' });
  faults.inject({ ...draw(), kind: 'stall', rate: 0.005 });
  faults.inject({ ...draw(), kind: 'latency', ms: { median: 2, p99: 40 }, rate: 1 });
}

async function startSoak() {
  const random = seededRandom('soak');
  const fake = createFakePlatform();
  const server = await fake.listen();
  onTestFinished(() => server.close());
  const { workspaceSecret } = fake.seed.eu;
  const platform = new AgentPlatform({
    region: 'eu',
    token: workspaceSecret,
    baseUrls: server.baseUrls,
    logLevel: 'off',
    timeout: 1_000,
  });
  const book = newBook();
  const store = createMemoryDedupe({ maxKeys: 1_000 });
  const receiver = createWebhookReceiver({ secret: workspaceSecret, logLevel: 'off', dedupe: { store } }).on(
    'webhook_test',
    async ({ payload: { message } }) => {
      await new Promise((resolve) => setTimeout(resolve, random() * 5));
      const fails = random() < 0.05;
      note(fails ? book.failed : book.succeeded, message);
      if (fails) throw new Error('the handler failed');
    },
  );
  fake.webhooks.subscribe((await serveReceiver(receiver.node)).url);
  return { random, fake, platform, book };
}

const middle = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

test('under random faults, memory and handles stay flat, and every call and event is accounted for', async () => {
  watchProcess();
  const { random, fake, platform, book } = await startSoak();
  const { signal } = new AbortController();
  const heaps: number[] = [];
  const sockets: number[] = [];
  const totals: Record<string, number> = {};
  const add = (name: string, count: number) => {
    totals[name] = (totals[name] ?? 0) + count;
  };
  for (const end = Date.now() + DURATION; Date.now() < end || heaps.length < 8; ) {
    const lap = { lap: heaps.length, random };
    injectFaults(fake, random);
    const [outcomes, deliveries] = await Promise.all([
      clientLap(fake, platform, lap, signal),
      webhookLap(fake, book, lap),
    ]);
    for (const [type, count] of Object.entries(tally(outcomes))) add(type, count);
    add('deliveries', deliveries);
    fake.reset();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    heaps.push(bytesInUse());
    sockets.push(countResources().TCPSocketWrap ?? 0);
  }
  // The first laps fill caches and pools.
  const quarter = Math.ceil(heaps.length / 4);
  const [early, late] = [middle(heaps.slice(quarter, 2 * quarter)), middle(heaps.slice(-quarter))];
  const inMib = (bytes: number) => (bytes / MIB).toFixed(1);
  console.log(
    `soak of ${DURATION / 1_000} s, seed ${seed}: ${heaps.length} laps, ${JSON.stringify(totals)}; ` +
      `in use ${inMib(early)} MiB early, ${inMib(late)} MiB late; sockets at most ${Math.max(...sockets)}`,
  );
  expect(late - early).toBeLessThan(3 * MIB);
  expect(middle(sockets.slice(-quarter))).toBeLessThanOrEqual(
    1.5 * middle(sockets.slice(quarter, 2 * quarter)) + 20,
  );
});
