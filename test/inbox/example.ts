import { expect } from 'vitest';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { delivery, secret } from '../webhooks/deliveries.js';

/** Runs an example of an inbox: its receiver stores, its worker handles, and both end after SIGTERM. */
export async function runExample(name: string, storage: Readonly<Record<string, string>>): Promise<void> {
  const port = String(await freePort());
  const settings = { ...storage, PORT: port, AGENT_PLATFORM_WEBHOOK_SECRET: secret };
  const receiver = startExample(`${name}/receiver`, settings);
  await receiver.prints(/receiving/);
  const body = delivery('lead_captured', { leadEmail: 'a@acme.example' });
  const address = `http://127.0.0.1:${port}`;
  // The second is a duplicate.
  for (const status of [200, 200]) {
    expect((await fetch(`${address}/webhooks`, { method: 'POST', body })).status).toBe(status);
  }
  expect(await (await fetch(`${address}/ready`)).json()).toMatchObject({ ready: true, waiting: 1 });
  const worker = startExample(`${name}/worker`, storage);
  await worker.prints(/lead: a@acme.example/);
  for (const { end } of [receiver, worker]) expect(await end()).toEqual([0, null]);
}
