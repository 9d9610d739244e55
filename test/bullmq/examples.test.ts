import { expect, test } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { url } from './inbox-fixture.js';

test('bullmq-inbox stores in one process, handles in another, and both end after SIGTERM', async () => {
  const port = String(await freePort());
  const receiver = startExample('bullmq-inbox/receiver', {
    REDIS_URL: url,
    PORT: port,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  });
  await eventually(() => expect(receiver.lines).toContain('receiving'));
  const address = `http://127.0.0.1:${port}`;
  const body = delivery('lead_captured', { leadEmail: 'a@acme.example' });
  expect((await fetch(`${address}/webhooks`, { method: 'POST', body })).status).toBe(200);
  expect(await (await fetch(`${address}/ready`)).json()).toMatchObject({ ready: true, waiting: 1 });

  const worker = startExample('bullmq-inbox/worker', { REDIS_URL: url });
  await eventually(() => expect(worker.lines).toContain('lead: a@acme.example'));
  for (const { end } of [receiver, worker]) expect(await end()).toEqual([0, null]);
}, 60_000);
