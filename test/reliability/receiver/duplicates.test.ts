import { createWebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../../support/deferred.js';
import { delivery, secret } from '../../webhooks/deliveries.js';
import { countingClock } from '../support/counting-clock.js';
import { draw, inForm, seededRandom } from '../support/form.js';
import { serveReceiver } from '../support/received.js';
import { dialAll, posted } from '../support/sender.js';
import { watchProcess } from '../support/watch.js';

const DELIVERIES = 10_000;
const DUPLICATES = 3_000;
/** Pipelined, so that as many deliveries are under way as a process has no file descriptors for. */
const CONNECTIONS = inForm({ short: 200, long: 1_000 });
/** Milliseconds until all have come, on a busy machine too. */
const ALL_WITHIN = inForm({ short: 100_000, long: 600_000 });
const DEADLINE = 50_000;

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const drawn = values.map((value) => ({ value, place: random() }));
  return drawn.sort((one, other) => one.place - other.place).map(({ value }) => value);
}

/** Distinct events first, then copies of some of them; all in a random order. */
function drawMessages(random: () => number): string[] {
  const distinct = Array.from({ length: DELIVERIES - DUPLICATES }, (_, number) => `event ${number}`);
  const copies = Array.from({ length: DUPLICATES }, () => draw(distinct, random));
  return shuffled([...distinct, ...copies], random);
}

async function sendAll(url: string, messages: readonly string[]): Promise<readonly (readonly number[])[]> {
  const senders = await dialAll(url, CONNECTIONS);
  return Promise.all(
    senders.map(async ({ socket, statuses }, first) => {
      const share = messages.filter((_, index) => index % CONNECTIONS === first);
      socket.write(share.map((message) => posted(delivery('webhook_test', { message }))).join(''));
      await expect.poll(() => statuses().length, { timeout: ALL_WITHIN, interval: 100 }).toBe(share.length);
      return statuses();
    }),
  );
}

test(`${DELIVERIES} deliveries at once, ${DUPLICATES} of them duplicates: each event is handled once`, async () => {
  watchProcess();
  const random = seededRandom('duplicates');
  const messages = drawMessages(random);
  // A busy machine may need longer than any deadline that the receiver takes.
  const { clock, pending } = countingClock(ALL_WITHIN / DEADLINE);
  const distinct = new Set(messages);
  const runs = new Map<string, number>();
  const allHaveCome = deferred();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', clock, deadline: DEADLINE }).on(
    'webhook_test',
    async ({ payload }) => {
      runs.set(payload.message, (runs.get(payload.message) ?? 0) + 1);
      // Nothing is answered until every event is under way: the copies find the first of their kind running.
      if (runs.size === distinct.size) allHaveCome.resolve();
      await allHaveCome.promise;
    },
  );
  const { url } = await serveReceiver(receiver.node);
  const answers = await sendAll(url, messages);
  expect(answers.flat().filter((status) => status !== 200)).toEqual([]);
  expect(answers.flat()).toHaveLength(DELIVERIES);
  expect(runs.size).toBe(distinct.size);
  expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
  await expect.poll(pending).toBe(0);
});
