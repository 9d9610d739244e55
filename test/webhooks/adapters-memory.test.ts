import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { heldPerByte, streamOf } from '../support/memory.js';
import { delivery, secret } from './deliveries.js';

type Deliver = (receiver: WebhookReceiver, chunks: Iterable<Uint8Array>) => Promise<number>;

const throughNode: Deliver = async (receiver, chunks) => {
  const request = Object.assign(Readable.from(chunks, { objectMode: false }), {
    method: 'POST',
    headers: {},
  });
  // Only these parts of a request are looked at.
  const response = new ServerResponse(request as unknown as IncomingMessage);
  await receiver.node(request, response);
  return response.statusCode;
};

const throughFetch: Deliver = async (receiver, chunks) => {
  const init = { method: 'POST', body: streamOf(chunks), duplex: 'half' };
  const { status } = await receiver.fetch(new Request('https://receiver.test', init as RequestInit));
  return status;
};

test.each([
  ['node', throughNode],
  ['fetch', throughFetch],
])(
  '%s: a body in chunks of one byte costs the memory of its bytes, not of its chunks',
  async (_, deliver) => {
    const receiver = createWebhookReceiver({ secret, logLevel: 'off' });
    const held = heldPerByte(' '.repeat(30_000) + delivery('webhook_test'), async (chunks) => {
      expect(await deliver(receiver, chunks)).toBe(200);
    });
    expect(await held).toBeLessThan(20);
  },
);
