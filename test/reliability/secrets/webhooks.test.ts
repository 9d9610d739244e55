import {
  createWebhookReceiver,
  parseWebhook,
  type StoredWebhook,
  type WebhookSecrets,
} from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { jobData } from '../../../src/bullmq/job-data.js';
import { closedAddress } from '../../support/server.js';
import { eventTypes, minimal, type OptionsWithSecret } from '../../webhooks/deliveries.js';
import { canary, SONG } from './canary.js';
import { Evidence } from './evidence.js';

const secret = canary('webhook');

const envelope = (type: unknown, more: object = {}) => ({
  type,
  payload: { ...minimal[type as keyof typeof minimal], ...more, workspaceSecret: secret },
});

/** Genuine deliveries of every kind, and forged ones that come close. */
const deliveries: unknown[] = [
  ...eventTypes.map((type) => envelope(type)),
  envelope('webhook_test', { createdAt: 2 }),
  envelope('webhook_test', { createdAt: 2 }),
  envelope('lead_captured', { channel: 'hologram', leadName: null }),
  envelope('lead_captured', { agentId: 7 }),
  envelope('agent_renamed', { createdAt: 1 }),
  envelope(secret),
  envelope(7),
  { type: 'webhook_test', payload: { workspaceSecret: secret.slice(0, -1) } },
  { type: 'webhook_test', payload: { workspaceSecret: `${secret}x` } },
  { type: 'webhook_test', workspaceSecret: secret },
  JSON.stringify(envelope('webhook_test')).slice(0, -1),
  new TextEncoder().encode(`not JSON ${secret}`),
];

async function deliverAll(evidence: Evidence, options: OptionsWithSecret): Promise<void> {
  const receiver = createWebhookReceiver({ secret, logger: evidence.logger, logLevel: 'debug', ...options })
    .onAny((event, context) => {
      evidence.add('a handler', [event, context]);
      if (event.type === 'bug_reported') throw new Error('the handler failed');
    })
    .onUnknown((event) => evidence.add('onUnknown', { ...event, type: '' }))
    .onInvalid((event) => evidence.add('onInvalid', { ...event, type: '' }))
    .onError((error, { stage, context }) => evidence.add('onError', [error, stage, context]))
    .onRejected((rejection) => evidence.add('onRejected', rejection));
  evidence.add('the receiver', receiver);
  for (const body of deliveries) evidence.add('the answer', await receiver.handle({ method: 'POST', body }));
}

test.each<[what: string, secrets: WebhookSecrets]>([
  ['one secret', secret],
  ['a list', [canary('older'), secret]],
  ['named workspaces', { acme: [secret, canary('newer')], other: canary('other') }],
])('nothing shows the secret of a webhook: %s', async (_, secrets) => {
  const evidence = new Evidence();
  await deliverAll(evidence, { secret: secrets });
  // `error.event` of an unknown type is the event as it was sent: here, a type that is the secret itself.
  for (const body of deliveries.filter((one) => (one as { type?: unknown }).type !== secret)) {
    await evidence.during('parseWebhook', () => {
      const event = parseWebhook(body, {
        secret: secrets,
        onDrift: (drift) => evidence.add('onDrift', drift),
      });
      evidence.add('the event', event);
    });
  }
  expect(evidence.leaks()).toEqual([]);
});

test('nothing shows a secret that is refused at construction', async () => {
  const evidence = new Evidence();
  const wrong: unknown[] = [[secret, secret], { a: secret, b: secret }, { a: [secret, ''] }, [[secret]]];
  for (const secrets of wrong) {
    await evidence.during('refused', () => createWebhookReceiver({ secret: secrets as never }));
  }
  expect(evidence.texts.length).toBeGreaterThanOrEqual(wrong.length);
  expect(evidence.leaks()).toEqual([]);
});

test('what an inbox is given to store holds no secret', async () => {
  const evidence = new Evidence();
  const stored: StoredWebhook[] = [];
  await deliverAll(evidence, { inbox: { store: async (webhook) => stored.push(webhook) } });
  // A type that is the secret itself is what that sender has asked for.
  evidence.add(
    'stored',
    stored.filter(({ type }) => !type.startsWith(SONG)),
  );
  evidence.add(
    'a job',
    jobData({ ...(stored[0] as StoredWebhook), payload: { workspaceSecret: secret } }, undefined),
  );
  expect(stored.length).toBeGreaterThan(eventTypes.length);
  expect(evidence.leaks()).toEqual([]);
});

test('nothing shows the password of a Redis that is away', async () => {
  const evidence = new Evidence();
  const { port } = new URL(await closedAddress());
  const addresses = [
    `redis://user:${canary('redis')}@127.0.0.1:${port}`,
    { host: '127.0.0.1', port: Number(port), password: canary('redis') },
  ];
  for (const connection of addresses) {
    const inbox = createBullMQInbox({
      connection,
      storeTimeout: 300,
      logger: evidence.logger,
      logLevel: 'debug',
    });
    const store = createRedisDedupe({ connection, timeout: 300 });
    await deliverAll(evidence, { inbox });
    await deliverAll(evidence, { dedupe: { store } });
    evidence.add('inbox and store', [inbox, store, await inbox.health()]);
    await Promise.all([inbox.close(), store.close()]);
  }
  for (const connection of [canary('redis'), { password: [canary('redis')] }, 7]) {
    await evidence.during('refused', () => createBullMQInbox({ connection: connection as never }));
    await evidence.during('refused', () => createRedisDedupe({ connection: connection as never }));
  }
  expect(evidence.leaks()).toEqual([]);
});

test('what the fake has delivered shows no secret', async () => {
  const evidence = new Evidence();
  const fake = createFakePlatform();
  const own = fake.seed.eu.workspaceSecret;
  const receiver = createWebhookReceiver({ secret: own, logger: evidence.logger, logLevel: 'debug' });
  fake.webhooks.subscribe(receiver);
  for (const type of eventTypes) await fake.webhooks.send(type);
  evidence.add('deliveries', fake.webhooks.deliveries);
  expect(fake.webhooks.deliveries.length).toBeGreaterThanOrEqual(eventTypes.length);
  expect(evidence.texts.filter((text) => text.includes(own))).toEqual([]);
});
