import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { path } from './inbox-fixture.js';

test('sqlite-inbox stores in one process, handles in another, and both end after SIGTERM', async () => {
  const port = String(await freePort());
  const receiver = startExample('sqlite-inbox/receiver', {
    INBOX: path,
    PORT: port,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  });
  await eventually(() => expect(receiver.lines).toContain('receiving'));
  const address = `http://127.0.0.1:${port}`;
  const body = delivery('lead_captured', { leadEmail: 'a@acme.example' });
  expect((await fetch(`${address}/webhooks`, { method: 'POST', body })).status).toBe(200);
  expect(await (await fetch(`${address}/ready`)).json()).toMatchObject({ ready: true, waiting: 1 });

  const worker = startExample('sqlite-inbox/worker', { INBOX: path });
  await eventually(() => expect(worker.lines).toContain('lead: a@acme.example'));
  for (const { end } of [receiver, worker]) expect(await end()).toEqual([0, null]);
}, 60_000);

test('the quickstart shows a killed worker whose event is handled after its restart', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    'examples/quickstart/quickstart.ts',
  ]);
  expect(stdout).toMatch(
    /an event +200; stored, not handled yet\n *a worker is killed.*\n.*starts +handled Dana\n/,
  );
}, 60_000);
