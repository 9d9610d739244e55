import { createMemoryDedupe, createWebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { leastGrowth } from '../../support/memory.js';
import { post, secret } from '../../webhooks/deliveries.js';
import { inForm } from '../support/form.js';
import { MIB, peakRise } from '../support/heap.js';
import { serveReceiver } from '../support/received.js';
import { dial, type Sender } from '../support/sender.js';
import { watchProcess } from '../support/watch.js';

const LIMIT = MIB / 4;
const SENDERS = 20;
/** Senders of chunks of one byte: each keeps the server's parser busy. */
const CHOPPERS = inForm({ short: 4, long: 12 });
const SIZE = inForm({ short: 32, long: 256 }) * MIB;

/** Sends until all is sent, or the other side ends the connection. Returns the bytes that it took. */
async function pour({ socket, ended }: Sender, bytes: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, 'a');
  socket.write('POST / HTTP/1.1\r\nhost: receiver\r\ntransfer-encoding: chunked\r\n\r\n');
  let sent = 0;
  while (sent < bytes && !socket.destroyed) {
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    sent += chunk.length;
    if (!socket.write('\r\n')) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended]);
    }
  }
  return sent;
}

test('bodies without end cost no more memory than the limit, and are cut off', async () => {
  watchProcess();
  const reasons: string[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', maxBodyBytes: LIMIT }).onRejected(
    ({ reason }) => void reasons.push(reason),
  );
  const { url, open } = await serveReceiver(receiver.node);
  let poured: readonly number[] = [];
  const rise = await peakRise(async () => {
    poured = await Promise.all(Array.from({ length: SENDERS }, async () => pour(await dial(url), SIZE)));
  });
  expect(reasons).toEqual(Array(SENDERS).fill('body_too_large'));
  // What lies in the buffers of the sockets comes on top of twice the limit.
  for (const bytes of poured) expect(bytes).toBeLessThan(SIZE / 2);
  expect(rise).toBeLessThan(SENDERS * SIZE * 0.2);
  await expect.poll(open, { timeout: 30_000 }).toBe(0);
});

test('bodies in chunks of one byte cost no more memory than their bytes', async () => {
  watchProcess();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', maxBodyBytes: LIMIT });
  const { url } = await serveReceiver(receiver.node);
  const chunks = '1\r\n \r\n'.repeat(LIMIT - 1);
  const rise = await peakRise(async () => {
    const senders = await Promise.all(Array.from({ length: CHOPPERS }, () => dial(url)));
    for (const { socket } of senders) {
      socket.write('POST / HTTP/1.1\r\nhost: receiver\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(chunks);
      socket.write('0\r\n\r\n');
    }
    const statuses = () => senders.map((sender) => sender.statuses());
    await expect.poll(statuses, { timeout: 100_000 }).toEqual(senders.map(() => [401]));
  });
  // To keep the chunks would take a hundred bytes for each.
  expect(rise).toBeLessThan(CHOPPERS * LIMIT * 50);
});

test('handled events leave no more keys than maxKeys', async () => {
  watchProcess();
  const store = createMemoryDedupe({ maxKeys: 1_000 });
  const receiver = createWebhookReceiver({ secret, logLevel: 'off', dedupe: { store } }).on(
    'webhook_test',
    () => undefined,
  );
  let sent = 0;
  const handle = async (count: number) => {
    for (const end = sent + count; sent < end; sent += 1) {
      await receiver.handle(post('webhook_test', { message: `event ${sent}` }));
    }
  };
  const some = inForm({ short: 10_000, long: 100_000 });
  await handle(some);
  expect(await leastGrowth(() => handle(some))).toBeLessThan(MIB);
});
