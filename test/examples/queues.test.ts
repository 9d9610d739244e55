import { gzipSync } from 'node:zlib';
import type { StoredWebhook } from 'agent-platform-sdk';
import { inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueueInbox } from '../../examples/cloudflare-queues/queue.js';
import { createConsumer, createSqsInbox, decode } from '../../examples/lambda/queue.js';
import { stored } from '../inbox/fixture.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { startCloudflare, startSqs } from './stand-ins.js';

// The AWS SDK takes its settings from the environment.
vi.stubEnv('AWS_REGION', 'eu-central-1');
vi.stubEnv('AWS_ACCESS_KEY_ID', 'not-a-key');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-a-secret');
afterAll(() => void vi.unstubAllEnvs());

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());

const context = { getRemainingTimeInMillis: () => 30_000 };

test.each(inboxConformance)('the inbox on SQS keeps the rule: $name', { timeout: 60_000 }, ({ run }) =>
  expect(
    run(async () => {
      const sqs = await startSqs();
      const work = (process: ProcessStored) => {
        const consume = createConsumer(process, sqs.deadLettersUrl);
        return sqs.poll((event) => consume(event, context));
      };
      const deadLetters = async () => sqs.deadLetters.map(decode);
      return { inbox: createSqsInbox(sqs.queueUrl), work, deadLetters };
    }),
  ).resolves.toBeUndefined(),
);

/** The rules that Cloudflare Queues cannot keep, as the README of the example says. */
const BROKEN = [
  'processes one of many simultaneous duplicates',
  'ignores a duplicate of a webhook that is being processed',
  'ignores a duplicate of a processed webhook',
];

test.each(inboxConformance)(
  'the inbox on Cloudflare Queues, by the rule: $name',
  async ({ name, run }) => {
    const kept = run(() => {
      const { bindings, poll, deadLetters } = startCloudflare();
      const dead = async () => deadLetters.filter((body) => 'key' in body);
      return { inbox: createQueueInbox(bindings), work: poll, deadLetters: dead };
    });
    if (BROKEN.includes(name)) await expect(kept).rejects.toThrow();
    else await expect(kept).resolves.toBeUndefined();
  },
  60_000,
);

test('on Cloudflare Queues, a large event is in the bucket until it is handled', async () => {
  const { bindings, poll, objects } = startCloudflare();
  const large = stored({ payload: { text: 'x'.repeat(130_000) } });
  await createQueueInbox(bindings).store(large);
  expect([...objects.keys()]).toEqual([`webhooks/${large.key}`]);
  const handled: StoredWebhook[] = [];
  const stop = poll(async (webhook) => void handled.push(webhook));
  await vi.waitFor(() => expect([handled, objects.size]).toEqual([[large], 0]));
  stop();
});

const message = (key: string) => ({
  messageId: key,
  body: gzipSync(JSON.stringify(stored({ key }))).toString('base64'),
});

const failing: ProcessStored = async ({ key }) => {
  if (key === 'b') throw new Error('away');
};
const hanging: ProcessStored = ({ key }) => new Promise((resolve) => key !== 'b' && resolve());

test.each([
  ['that failed', failing, message('b'), 30_000],
  ['whose handler ignores its signal, before the function ends', hanging, message('b'), 2_050],
  ['that it cannot read', failing, { messageId: 'b', body: 'not gzip' }, 30_000],
] as const)('reports only the message %s', async (_, process, bad, ms) => {
  const { deadLettersUrl } = await startSqs();
  const Records = [message('a'), bad, message('c')];
  const consume = createConsumer(process, deadLettersUrl);
  const { batchItemFailures } = await consume({ Records }, { getRemainingTimeInMillis: () => ms });
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'b' }]);
});

test('the receiver stores in SQS before the 200, and the worker handles', async () => {
  const sqs = await startSqs();
  vi.stubEnv('AGENT_PLATFORM_WEBHOOK_SECRET', secret);
  vi.stubEnv('QUEUE_URL', sqs.queueUrl);
  vi.stubEnv('DEAD_LETTERS_URL', sqs.deadLettersUrl);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const { handler: receive } = await import('../../examples/lambda/receiver.js');
  const { handler: work } = await import('../../examples/lambda/worker.js');
  const post = (body: string) =>
    receive({ requestContext: { http: { method: 'POST' } }, body, isBase64Encoded: false });
  expect((await post(delivery('lead_captured', { leadEmail: 'a@acme.example' }))).statusCode).toBe(200);
  expect((await post('{}')).statusCode).toBe(401);
  // Does not match the API specification: a dead letter after one run.
  expect((await post(delivery('agent_deleted', { agentId: undefined }))).statusCode).toBe(200);
  const stop = sqs.poll((event) => work(event, context));
  await vi.waitFor(() => expect(sqs.deadLetters.map((body) => decode(body).type)).toEqual(['agent_deleted']));
  stop();
  expect(log.mock.calls.map(([line]) => line as string)).toEqual(['lead: a@acme.example']);
});

test('an event that is too large for SQS is refused with 500', async () => {
  const sqs = await startSqs();
  const inbox = createSqsInbox(sqs.queueUrl);
  const noise = Buffer.from(Array.from({ length: 1_000_000 }, () => Math.random() * 256)).toString('base64');
  await expect(inbox.store(stored({ payload: { noise } }))).rejects.toThrow();
});
