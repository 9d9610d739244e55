/** One process of a rolling restart: stores each event for a moment, and ends by `drain`. Prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookReceiver, drain } from 'agent-platform-sdk';
import { secret } from '../webhooks/deliveries.js';

const stored: string[] = [];
const inbox = {
  store: async ({ payload }: { readonly payload: Readonly<Record<string, unknown>> }) => {
    await sleep(5 + Math.random() * 20);
    stored.push(String(payload.message));
  },
  close: () => process.send?.(stored),
};
const server = createServer(createWebhookReceiver({ secret, inbox }).node);
// Above that of whatever is in front: 5 s, the default, are less than the pause between two events.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('SIGTERM', () => drain(server, { inbox }).then(() => process.disconnect()));
