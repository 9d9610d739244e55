import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { sql, url } from './inbox-fixture.js';

test('postgres-inbox stores in one process, writes in another, and both exit after SIGTERM', async () => {
  await sql(readFileSync('examples/postgres-inbox/leads.sql', 'utf8'));
  const port = String(await freePort());
  const settings = { DATABASE_URL: url, PORT: port, AGENT_PLATFORM_WEBHOOK_SECRET: secret };
  const receiver = startExample('postgres-inbox/receiver', settings);
  const worker = startExample('postgres-inbox/worker', { DATABASE_URL: url });
  const body = delivery('lead_captured', { leadEmail: 'kim@acme.example' });
  const post = () => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  await eventually(async () => expect((await post()).status).toBe(200));
  expect((await post()).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
  await eventually(() => expect(worker.lines).toContain('lead: kim@acme.example'));
  expect(await sql('SELECT email FROM leads')).toEqual([{ email: 'kim@acme.example' }]);
  expect(await Promise.all([receiver.end(), worker.end()])).toEqual([
    [0, null],
    [0, null],
  ]);
});
