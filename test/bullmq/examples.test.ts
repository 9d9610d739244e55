import { expect, test } from 'vitest';
import { countPerWorkspace, createAgency, replayFor } from '../../examples/bullmq-agency/agency.js';
import { freePort } from '../../scripts/free-port.js';
import { startExample } from '../support/example-process.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { createInbox, eventually, redis, url } from './inbox-fixture.js';

test('receiver and worker, as two processes: stored by one, handled by the other, and both end when told', async () => {
  const port = String(await freePort());
  const receiver = startExample('bullmq-inbox/receiver', {
    REDIS_URL: url,
    PORT: port,
    WORKSPACE_SECRET: secret,
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

test('an agency of a thousand workspaces: each event goes to its customer, and one is replayed alone', async () => {
  const workspaces = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`customer-${index}`, `secret-of-${index}`]),
  );
  const counts = new Map<string, { handled: number; failed: number }>();
  const inbox = createInbox({ attempts: 1, hooks: countPerWorkspace(counts) });
  const leads: string[] = [];
  let isAway = true;
  const agency = createAgency(workspaces, inbox, (name) => ({
    addLead: async (email) => {
      if (isAway) throw new Error('away');
      leads.push(`${name} ${email}`);
    },
  }));
  for (const index of [7, 999]) {
    const body = delivery('lead_captured', {
      leadEmail: 'a@b.example',
      workspaceSecret: `secret-of-${index}`,
    });
    expect((await agency.handle({ method: 'POST', body })).status).toBe(200);
  }
  inbox.work(agency);
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(2));
  isAway = false;
  expect(await replayFor(inbox, 'customer-999')).toBe(1);
  await eventually(() => expect(leads).toEqual(['customer-999 a@b.example']));
  await eventually(() => expect(counts.get('customer-999')).toEqual({ handled: 1, failed: 1 }));
  expect(await redis.zcard('bull:agent-platform-webhooks:failed')).toBe(1);
});
