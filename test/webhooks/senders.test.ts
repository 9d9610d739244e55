import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  createWebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { delivery, secret } from './deliveries.js';

const body = delivery('webhook_test');

/** A delivery as bytes, with a length that may be wrong. */
const posted = (text: string, length: string | number = Buffer.byteLength(text)) =>
  `POST /hooks HTTP/1.1\r\nhost: receiver\r\ncontent-length: ${length}\r\n\r\n${text}`;
const whole = posted(body);
const head = whole.indexOf('\r\n\r\n') + 4;

/** A receiver over real HTTP, what it handles and what it refuses. */
async function startReceiver(options: WebhookReceiverOptions = {}) {
  const handled: string[] = [];
  const rejected: WebhookRejection[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', ...options })
    .on('webhook_test', ({ payload }) => void handled.push(payload.message))
    .onRejected((rejection) => void rejected.push(rejection));
  return { url: await serve(receiver.node), handled, rejected };
}

/** A bare connection to a receiver, and the statuses that came over it. */
async function dial(url: string): Promise<{ socket: Socket; statuses: () => readonly number[] }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = '';
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.on('data', (chunk: string) => {
    received += chunk;
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return {
    socket,
    statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((one) => Number(one[1])),
  };
}

test.each(['ended', 'reset'])('handles no delivery that is %s before its last byte', async (way) => {
  const { url, handled, rejected } = await startReceiver();
  for (let position = 0; position < whole.length; position += 1) {
    const { socket } = await dial(url);
    const closed = once(socket, 'close');
    socket.write(whole.slice(0, position));
    // A reset may overtake what was written before it.
    await new Promise(setImmediate);
    if (way === 'reset') socket.resetAndDestroy();
    else socket.end();
    await closed;
  }
  const { socket, statuses } = await dial(url);
  socket.write(whole);
  await expect.poll(statuses).toEqual([200]);
  expect(handled).toHaveLength(1);
  expect(rejected.every(({ reason }) => reason === 'body_unreadable')).toBe(true);
});

test('responds with 400 at the deadline to a sender that stops anywhere in the body', async () => {
  const { url, handled, rejected } = await startReceiver({ deadline: 500 });
  const senders = await Promise.all(Array.from({ length: body.length }, () => dial(url)));
  for (const [sent, { socket }] of senders.entries()) socket.write(whole.slice(0, head + sent));
  const responses = () => senders.map(({ statuses }) => statuses());
  await expect.poll(responses, { timeout: 20_000 }).toEqual(senders.map(() => [400]));
  expect(handled).toEqual([]);
  expect(rejected.map(({ reason }) => reason)).toEqual(senders.map(() => 'body_unreadable'));
});

test('responds to others while slow senders wait for their deadline', async () => {
  const { url, handled } = await startReceiver({ deadline: 1_000 });
  const slow = await Promise.all(Array.from({ length: 100 }, () => dial(url)));
  for (const { socket } of slow) {
    socket.write(posted(body, 100_000));
    const timer = setInterval(() => socket.write(' '), 20);
    socket.once('close', () => clearInterval(timer));
  }
  for (let number = 0; number < 50; number += 1) {
    const text = delivery('webhook_test', { message: `honest ${number}` });
    expect((await fetch(url, { method: 'POST', body: text })).status).toBe(200);
  }
  const responses = () => slow.map(({ statuses }) => statuses());
  await expect.poll(responses, { timeout: 20_000 }).toEqual(slow.map(() => [400]));
  expect(handled).toHaveLength(50);
});

test.each([
  ['one byte too much', posted(body, body.length + 1), 400],
  ['one byte too little', posted(body, body.length - 1), 400],
  ['nothing', posted(body, 0), 400],
  ['more than the limit', posted(body, 10_000_000), 413],
  ['no number', posted(body, 'some'), 400],
  ['less than nothing', posted(body, -1), 400],
  ['both a length and chunks', posted(body, '2\r\ntransfer-encoding: chunked'), 400],
  ['two lengths', posted(body, '2\r\ncontent-length: 1'), 400],
  ['the truth', whole, 200],
])('responds to a length that announces %s', async (_, bytes, status) => {
  const { url, handled } = await startReceiver({ deadline: 300, maxBodyBytes: 1_000_000 });
  const { socket, statuses } = await dial(url);
  socket.write(bytes);
  await expect.poll(() => statuses()[0], { timeout: 20_000 }).toBe(status);
  expect(handled).toHaveLength(status === 200 ? 1 : 0);
});

test('handles pipelined deliveries once each, and responds in their order', async () => {
  const { url, handled } = await startReceiver();
  const messages = Array.from({ length: 200 }, (_, number) => `pipelined ${number}`);
  const isForged = (number: number) => number % 7 === 3;
  const texts = messages.map((message, number) =>
    delivery('webhook_test', isForged(number) ? { message, workspaceSecret: 'forged-secret' } : { message }),
  );
  const { socket, statuses } = await dial(url);
  socket.write(texts.map((text) => posted(text)).join(''));
  await expect
    .poll(statuses, { timeout: 20_000 })
    .toEqual(messages.map((_, number) => (isForged(number) ? 401 : 200)));
  expect([...handled].sort()).toEqual(messages.filter((_, number) => !isForged(number)).sort());
});
