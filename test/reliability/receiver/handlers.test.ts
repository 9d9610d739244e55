import { createWebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, secret } from '../../webhooks/deliveries.js';
import { countingClock } from '../support/counting-clock.js';
import { draw, inForm, seededRandom } from '../support/form.js';
import { serveReceiver } from '../support/received.js';
import { watchProcess } from '../support/watch.js';

const EVENTS = inForm({ short: 300, long: 3_000 });
const COPIES = 12;
const DEADLINE = 300;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The ends of an event's runs, one after the other; the last repeats. */
const plans: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
  succeeds: [async () => undefined],
  'succeeds after a while': [() => sleep(100)],
  'throws twice': [
    () => Promise.reject(new Error('first')),
    () => Promise.reject(new Error('second')),
    async () => undefined,
  ],
  'throws what is no error': [() => Promise.reject(undefined), async () => undefined],
  'throws at once': [
    () => {
      throw new Error('at once');
    },
    async () => undefined,
  ],
  'succeeds after the deadline': [() => sleep(2 * DEADLINE)],
  'rejects after the deadline': [
    () => sleep(2 * DEADLINE).then(() => Promise.reject(new Error('late'))),
    async () => undefined,
  ],
  'never settles': [() => new Promise(() => undefined)],
};
const names = Object.keys(plans);

/** The fate of one event. */
interface History {
  readonly plan: string;
  started: number;
  running: number;
  mostAtOnce: number;
  succeeded: number;
  acknowledgedEarly: number;
}

test('handlers that throw, hang or reject late: no event succeeds twice, and no 200 comes before a success', async () => {
  watchProcess();
  const random = seededRandom('handlers');
  const histories = Array.from({ length: EVENTS }, (): History => {
    const plan = draw(names, random);
    return { plan, started: 0, running: 0, mostAtOnce: 0, succeeded: 0, acknowledgedEarly: 0 };
  });
  const failures: unknown[] = [];
  const { clock, pending } = countingClock();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', deadline: DEADLINE, clock })
    .on('webhook_test', ({ payload }) => run(histories[Number(payload.message)]))
    .onError((error) => void failures.push(error));
  const { url } = await serveReceiver(receiver.node);
  const send = async (number: number, history: History) => {
    const body = delivery('webhook_test', { message: String(number) });
    const { status } = await fetch(url, { method: 'POST', body });
    if (status === 200 && history.succeeded === 0) history.acknowledgedEarly += 1;
    return status;
  };
  await Promise.all(
    histories.map(async (history, number) => {
      for (let copy = 0; copy < COPIES; copy += 1) {
        await sleep(random() * 100);
        // Sometimes two at once.
        const both = await Promise.all(
          Array.from({ length: random() < 0.3 ? 2 : 1 }, () => send(number, history)),
        );
        if (both.includes(200) && random() < 0.7) return;
      }
    }),
  );
  for (const [number, { plan, succeeded, mostAtOnce, acknowledgedEarly }] of histories.entries()) {
    const which = `event ${number}, whose handler ${plan}`;
    expect(succeeded, which).toBe(plan === 'never settles' ? 0 : 1);
    expect(mostAtOnce, which).toBe(1);
    expect(acknowledgedEarly, which).toBe(0);
  }
  expect(failures.length).toBeGreaterThan(0);
  // What never settles keeps its claim.
  const unsettled = histories.filter(({ running }) => running > 0);
  await expect.poll(pending).toBe(unsettled.length);
});

async function run(history: History | undefined): Promise<void> {
  if (history === undefined) throw new Error('an event that was not sent');
  const steps = plans[history.plan] ?? [];
  const step = steps[Math.min(history.started, steps.length - 1)];
  history.started += 1;
  history.running += 1;
  history.mostAtOnce = Math.max(history.mostAtOnce, history.running);
  try {
    await step?.();
    history.succeeded += 1;
  } finally {
    history.running -= 1;
  }
}
