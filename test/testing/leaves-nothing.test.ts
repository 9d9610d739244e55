import { connect } from 'node:net';
import { createFakePlatform, type FakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { leavesNothing } from '../support/leaves-nothing.js';
import { send } from './support/client.js';

/** Lets a server of the fake work: its page, a call, one that waits, a watcher, and what is no HTTP. */
async function useServer(fake: FakePlatform): Promise<void> {
  const server = await fake.listen({ control: true });
  await (await fetch(server.url)).text();
  await (await fetch(`${server.baseUrls.eu}/v3/tools/defaults`)).text();
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const waiting = fetch(`${server.baseUrls.eu}/v3/tools/defaults`).catch(() => undefined);
  const reader = (await fetch(`${server.url}/_fake/changes`)).body?.getReader();
  await reader?.read();
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  socket.end('hello\r\n\r\n');
  await server.close();
  await waiting;
  await reader?.cancel().catch(() => undefined);
}

test('a server of the fake leaves nothing when it is closed', async () => {
  const fake = createFakePlatform();
  // What is loaded once, such as the page.
  await useServer(fake);
  fake.reset();
  await leavesNothing(() => useServer(fake));
  expect(fake.requests).not.toEqual([]);
});

test('a reset ends calls and deliveries that wait, which leave nothing', async () => {
  const fake = createFakePlatform();
  await leavesNothing(async () => {
    fake.faults.inject({ kind: 'latency', ms: 600_000 });
    fake.faults.inject({ kind: 'stall', ms: 600_000 });
    fake.webhooks.subscribe({ fetch: () => new Promise(() => undefined) });
    const waiting = [send(fake, '/v3/tools/defaults'), fake.webhooks.send('webhook_test')];
    fake.reset();
    await Promise.allSettled(waiting);
  });
  expect([fake.requests, fake.webhooks.deliveries]).toEqual([[], []]);
});
