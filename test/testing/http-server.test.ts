import { connect } from 'node:net';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import { collectGarbage } from '../support/memory.js';
import { httpClientOf, listening } from './support/client.js';

test('serves both regions over HTTP', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);

  for (const region of ['eu', 'na'] as const) {
    const { toolId } = fake.seed[region];
    expect((await httpClientOf(fake, server, { region }).tools.get(toolId)).id).toBe(toolId);
  }
});

test('listens on the port it is told', async () => {
  const first = await createFakePlatform().listen();
  await first.close();
  await using second = await createFakePlatform().listen({ port: first.port });

  expect(second.url).toBe(`http://127.0.0.1:${first.port}`);
});

test('says so when the port is taken', async () => {
  const { port } = await listening(createFakePlatform());

  await expect(createFakePlatform().listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close ends idle connections', async () => {
  const server = await createFakePlatform().listen();
  const socket = connect(server.port, '127.0.0.1');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));

  await server.close();

  await ended;
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('a path of no region is answered with the error body', async () => {
  const { url } = await listening(createFakePlatform());

  const response = await fetch(`${url}/v3/tools/defaults`);

  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    message: 'The fake serves its regions below /eu/v3 and /na/v3.',
    code: 'unknown_route',
  });
});

test('the fake sees that a caller over HTTP has gone, whatever was collected meanwhile', async () => {
  const clearTimer = vi.fn();
  const setTimer = vi.fn(() => 'the latency');
  const clock = { now: () => 0, setTimeout: setTimer, clearTimeout: clearTimer };
  const fake = createFakePlatform({ clock });
  const server = await listening(fake);
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const controller = new AbortController();
  const call = fetch(`${server.baseUrls.eu}/v3/tools/defaults`, { signal: controller.signal });
  await vi.waitFor(() => expect(setTimer).toHaveBeenCalled());
  // Some engines clear weak references only between two turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  controller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(clearTimer).toHaveBeenCalledWith('the latency'));
});
