import { createWebhookReceiver, type WebhookRejection } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, type OptionsWithSecret, secret } from '../../webhooks/deliveries.js';
import { inForm } from '../support/form.js';
import { serveReceiver } from '../support/received.js';
import { dial, dialAll, posted, type Sender } from '../support/sender.js';
import { watchProcess } from '../support/watch.js';

const body = delivery('webhook_test');

/** A receiver over real HTTP that counts what it handles and what it refuses. */
async function startReceiver(options: OptionsWithSecret = {}) {
  const handled: string[] = [];
  const rejected: WebhookRejection[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', ...options })
    .on('webhook_test', ({ payload }) => void handled.push(payload.message))
    .onRejected((rejection) => void rejected.push(rejection));
  return { handled, rejected, ...(await serveReceiver(receiver.node)) };
}

/** Each is answered so, and once. */
const expectAllAnswered = (senders: readonly Sender[], status: number) =>
  expect
    .poll(() => senders.map(({ statuses }) => statuses()), { timeout: 30_000 })
    .toEqual(senders.map(() => [status]));

test.each(['ended', 'reset'])(
  'a delivery that is %s at any byte is handled only if it is whole',
  async (way) => {
    watchProcess();
    const { url, handled, rejected, open } = await startReceiver();
    const bytes = posted(body);
    const positions = Array.from({ length: bytes.length }, (_, position) => position);
    for (const position of positions) {
      const { socket, ended } = await dial(url);
      socket.write(bytes.slice(0, position));
      // A reset may overtake what was written before it.
      await new Promise(setImmediate);
      if (way === 'reset') socket.resetAndDestroy();
      else socket.end();
      await ended;
    }
    await expect.poll(open, { timeout: 30_000 }).toBe(0);
    expect(handled).toEqual([]);
    expect(rejected.every(({ reason }) => reason === 'body_unreadable')).toBe(true);
    const whole = await dial(url);
    whole.socket.end(bytes);
    await expect.poll(whole.statuses).toEqual([200]);
    expect(handled).toHaveLength(1);
  },
);

test.each(['GET', 'PUT', 'DELETE'])('a %s whose body is cut off harms nothing', async (method) => {
  watchProcess();
  const { url, handled, rejected, open } = await startReceiver();
  const { socket, statuses } = await dial(url);
  socket.write(posted(body).replace('POST', method).slice(0, -1));
  await expect.poll(statuses).toEqual([405]);
  socket.resetAndDestroy();
  await expect.poll(open).toBe(0);
  expect(handled).toEqual([]);
  expect(rejected).toMatchObject([{ reason: 'method_not_allowed' }]);
});

test('a sender that stops half way is answered 400 at the deadline, wherever it stops in the body', async () => {
  watchProcess();
  const { url, handled, rejected } = await startReceiver({ deadline: 500 });
  const bytes = posted(body);
  const head = bytes.indexOf('\r\n\r\n') + 4;
  const senders = await dialAll(url, body.length);
  for (const [sent, { socket }] of senders.entries()) socket.write(bytes.slice(0, head + sent));
  await expectAllAnswered(senders, 400);
  expect(handled).toEqual([]);
  expect(rejected.map(({ reason }) => reason)).toEqual(senders.map(() => 'body_unreadable'));
});

test('slow senders hold up no other, and each is answered at the deadline', async () => {
  watchProcess();
  const { url, handled, rejected, open } = await startReceiver({ deadline: 1_000 });
  const slow = await dialAll(url, inForm({ short: 200, long: 1_000 }));
  for (const [number, { socket }] of slow.entries()) {
    const bytes = posted(delivery('webhook_test', { message: `slow ${number}` }), 100_000);
    let sent = bytes.indexOf('\r\n\r\n') + 4;
    socket.write(bytes.slice(0, sent));
    const timer = setInterval(() => {
      socket.write(bytes.slice(sent, sent + 1));
      sent += 1;
    }, 20);
    socket.once('close', () => clearInterval(timer));
  }
  for (let honest = 0; honest < 100; honest += 1) {
    const { status } = await fetch(url, {
      method: 'POST',
      body: delivery('webhook_test', { message: `honest ${honest}` }),
    });
    expect(status).toBe(200);
  }
  await expectAllAnswered(slow, 400);
  expect(handled).toHaveLength(100);
  expect(rejected).toHaveLength(slow.length);
  for (const { socket } of slow) socket.destroy();
  await expect.poll(open, { timeout: 30_000 }).toBeLessThanOrEqual(1);
});

test.each<[string, string, number, number]>([
  ['one byte too much', posted(body, body.length + 1), 400, 0],
  ['one byte too little', posted(body, body.length - 1), 400, 0],
  ['nothing', posted(body, 0), 400, 0],
  ['more than the limit', posted(body, 10_000_000), 413, 0],
  ['no number', posted(body, Number.NaN), 400, 0],
  ['less than nothing', posted(body, -1), 400, 0],
  [
    'both a length and chunks',
    posted(body).replace('\r\n\r\n', '\r\ntransfer-encoding: chunked\r\n\r\n'),
    400,
    0,
  ],
  ['two lengths', posted(body).replace('\r\n\r\n', '\r\ncontent-length: 1\r\n\r\n'), 400, 0],
  ['the truth', posted(body), 200, 1],
])('a length that announces %s', async (_, bytes, status, count) => {
  watchProcess();
  const { url, handled } = await startReceiver({ deadline: 300, maxBodyBytes: 1_000_000 });
  const { socket, statuses } = await dial(url);
  socket.write(bytes);
  await expect.poll(() => statuses()[0], { timeout: 30_000 }).toBe(status);
  expect(handled).toHaveLength(count);
});

test('pipelined deliveries are each handled once, and answered in their order', async () => {
  watchProcess();
  const { url, handled } = await startReceiver();
  const count = inForm({ short: 500, long: 5_000 });
  const messages = Array.from({ length: count }, (_, number) => `pipelined ${number}`);
  const answers = messages.map((_, number) => (number % 7 === 3 ? 401 : number % 11 === 5 ? 400 : 200));
  const bodies = messages.map((message, number) => {
    const overrides = answers[number] === 401 ? { message, workspaceSecret: 'forged-secret' } : { message };
    const text = delivery('webhook_test', overrides);
    return answers[number] === 400 ? text.slice(0, -1) : text;
  });
  const { socket, statuses } = await dial(url);
  socket.write(bodies.map((text) => posted(text)).join(''));
  await expect.poll(() => statuses().length, { timeout: 30_000 }).toBe(count);
  expect(statuses()).toEqual(answers);
  expect([...handled].sort()).toEqual(messages.filter((_, number) => answers[number] === 200).sort());
});
