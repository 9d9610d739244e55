// A receiver in a process of its own: `tsx receiver-process.ts '{"maxBodyBytes":1000}'`. Prints its port; a GET tells the
// bytes that buffers hold after a collection. With `loadedIn`, its secret is loaded in as many milliseconds, for five minutes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createWebhookReceiver } from '../../../src/index.js';
import { collectGarbage } from '../../support/memory.js';
import { secret } from '../../webhooks/deliveries.js';

const { loadedIn, ...options } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly maxBodyBytes?: number;
  readonly loadedIn?: number;
};
const given = loadedIn === undefined ? secret : () => setTimeout(loadedIn, secret);
const receiver = createWebhookReceiver({ secret: given, logLevel: 'off', ...options }).onAny(() => undefined);
const server = createServer((request, response) => {
  if (request.method === 'POST') return void receiver.node(request, response);
  collectGarbage();
  response.end(String(process.memoryUsage().arrayBuffers));
});
server.listen(0, '127.0.0.1', () => {
  // It listens on a port.
  console.log((server.address() as AddressInfo).port);
});
