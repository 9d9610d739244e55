import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { redact } from 'agent-platform-sdk';
import { Queue } from 'bullmq';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../support/loopback.js';
import { createInbox, eventually, redis, stored } from './inbox-fixture.js';

/** The dashboard as the guide sets it up. Returns its address. */
async function openBoard(): Promise<string> {
  const queue = new Queue('webhooks', { connection: redis });
  onTestFinished(() => queue.close());
  const adapter = new BullMQAdapter(queue);
  adapter.setFormatter('data', redact);
  const serverAdapter = new ExpressAdapter();
  createBullBoard({ queues: [adapter], serverAdapter });
  return serve(express().use(serverAdapter.getRouter()));
}

test('bull-board shows the inbox and its dead letters, with marked fields masked, and retries one', async () => {
  const inbox = createInbox({ queueName: 'webhooks', attempts: 1 });
  const board = await openBoard();
  const webhook = stored({ payload: { ...stored().payload, sessionKey: 'canary' } });
  let isAway = true;
  const handled: string[] = [];
  inbox.work({
    lead_captured: ({ type }) => {
      if (isAway) throw new TypeError('the CRM is away');
      handled.push(type);
    },
  });
  await inbox.store(webhook);
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));

  const page = await (await fetch(`${board}/api/queues?activeQueue=webhooks&status=failed`)).text();
  expect(JSON.parse(page)).toMatchObject({
    queues: [
      {
        name: 'webhooks',
        counts: { failed: 1 },
        jobs: [
          {
            id: webhook.key,
            name: 'lead_captured',
            failedReason: expect.stringContaining('the CRM is away') as string,
          },
        ],
      },
    ],
  });
  expect(page).not.toContain('canary');

  isAway = false;
  const { status } = await fetch(`${board}/api/queues/webhooks/${webhook.key}/retry`, { method: 'PUT' });
  expect(status).toBe(204);
  await eventually(() => expect(handled).toEqual(['lead_captured']));
  await eventually(async () => expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 }));
});
