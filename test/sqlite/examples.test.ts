import { expect, test } from 'vitest';
import { runExample } from '../inbox/example.js';
import { eventually } from '../inbox/fixture.js';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { path } from './inbox-fixture.js';

test(
  'sqlite-inbox stores in one process, handles in another, and both end after SIGTERM',
  () => runExample('sqlite-inbox', { INBOX: path }),
  60_000,
);

test('operator-routes shows readiness, and a dead letter that it replays and removes', async () => {
  const [port, operatorPort] = [String(await freePort()), String(await freePort())];
  const example = startExample('operator-routes/server', {
    INBOX: path,
    ATTEMPTS: '1',
    PORT: port,
    OPERATOR_PORT: operatorPort,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  });
  const operator = `http://127.0.0.1:${operatorPort}`;
  await eventually(async () => expect((await fetch(`${operator}/ready`)).status).toBe(200));
  const body = delivery('lead_captured', { leadEmail: '<b>nobody</b>' });
  expect((await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body })).status).toBe(200);

  const page = async () => (await fetch(`${operator}/dead-letters`)).text();
  await eventually(async () => expect(await page()).toContain('no lead without an address'));
  const post = async (action: string, headers: Record<string, string> = {}) => {
    const [, form = ''] = new RegExp(`action="(/dead-letters/${action}[^"]*)"`).exec(await page()) ?? [];
    return (await fetch(`${operator}${form}`, { method: 'POST', headers, redirect: 'manual' })).status;
  };
  expect(await post('remove', { origin: 'https://evil.example' })).toBe(403);
  expect(await post('replay')).toBe(303);
  await eventually(async () => expect(await page()).toContain('no lead without an address'));
  expect(await post('remove')).toBe(303);
  expect(await page()).not.toContain('no lead without an address');
  expect(await example.end()).toEqual([0, null]);
}, 60_000);

test('the quickstart shows a killed worker whose event is handled after its restart', async () => {
  const quickstart = startExample('quickstart/quickstart', {});
  await quickstart.prints(
    /an event +200; stored, not handled yet\n *a worker is killed.*\n.*starts +handled Dana\n/,
  );
  expect(await quickstart.ended).toEqual([0, null]);
}, 60_000);
