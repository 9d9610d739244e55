import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type StoredWebhook, WebhookPayloadError } from 'agent-platform-sdk';
import {
  fixtures,
  type InboxSubject,
  inboxConformance,
  type ProcessStored,
} from 'agent-platform-sdk/testing';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { root } from '../package/consumer.js';
import { deferred } from '../support/deferred.js';
import { startWorker } from './workerd.js';

// The example cloudflare-queues in workerd, with the queues and the bucket of miniflare.

const consumer = inject('consumer');
cpSync(join(root, 'examples/cloudflare-queues'), join(consumer, 'cloudflare-queues'), { recursive: true });
cpSync(join(root, 'test/runtimes/suite/queues.mjs'), join(consumer, 'suite/queues.mjs'));

/** Starts a module with the bindings of wrangler.jsonc, and short times. */
function start(module: string, options: Readonly<Record<string, unknown>>, finished = onTestFinished) {
  const bindings = {
    queueProducers: { QUEUE: 'webhooks', DEAD_LETTERS: 'dead-letters' },
    queueConsumers: {
      webhooks: { maxBatchSize: 10, maxBatchTimeout: 0, maxRetries: 2, deadLetterQueue: 'dead-letters' },
      'dead-letters': { maxBatchTimeout: 0 },
    },
    r2Buckets: ['LARGE_EVENTS'],
  };
  return startWorker(module, { ...bindings, ...options }, finished);
}

const secret = 'test-workspace-secret-0001';

test('the Worker stores in the queue before the 200, and its consumer handles', async () => {
  const lines: string[] = [];
  const collect = (stream: Readable) =>
    stream.on('data', (chunk) => lines.push(...String(chunk).split('\n')));
  const worker = await start('cloudflare-queues/worker.ts', {
    bindings: { AGENT_PLATFORM_WEBHOOK_SECRET: secret },
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => [stdout, stderr].map(collect),
  });
  const post = async (event: unknown) => {
    const init = { method: 'POST', body: JSON.stringify(event) };
    return (await worker.dispatchFetch('http://worker/webhooks', init)).status;
  };
  const turns = Array.from({ length: 1_500 }, () => 'x'.repeat(1_000));
  expect(await post(fixtures.delivery('lead_captured', secret, { leadEmail: 'a@acme.example' }))).toBe(200);
  expect(await post(fixtures.delivery('conversation_updated', secret, { turns }))).toBe(200);
  expect(await post(fixtures.delivery('lead_captured', 'forged'))).toBe(401);
  const handled = () => lines.map((line) => /^(lead|turns): (\S+)/.exec(line)?.[2] ?? []).flat();
  const expected = ['1500', 'a@acme.example'];
  await vi.waitFor(() => expect(handled().sort()).toEqual(expected), { timeout: 20_000 });
});

// One worker serves all rules: what an earlier one has left is acknowledged.
const keys = new Set<string>();
const workers: { readonly process: ProcessStored; readonly killed: Promise<void> }[] = [];
const dead: StoredWebhook[] = [];
const inbox = await start(
  'suite/queues.mjs',
  { serviceBindings: { TEST: processHere }, handleRuntimeStdio: () => undefined },
  afterAll,
);

/** Processes an event in the newest worker: a test that starts two counts runs only. */
async function processHere(request: Request): Promise<Response> {
  const stored = (await request.json()) as StoredWebhook;
  if (new URL(request.url).pathname === '/dead-letters') {
    dead.push(stored);
    return new Response();
  }
  const canEnd = () => workers.length > 0 || !keys.has(stored.key);
  await vi.waitFor(() => expect(canEnd()).toBe(true), { timeout: 20_000, interval: 5 });
  const worker = workers.at(-1);
  if (worker === undefined || !keys.has(stored.key)) return new Response();
  // A worker that is killed has failed what it was processing.
  const killed = worker.killed.then(() => Promise.reject(new Error('killed')));
  const status = await Promise.race([worker.process(stored), killed]).then(
    () => 200,
    (error: unknown) => (error instanceof WebhookPayloadError ? 422 : 500),
  );
  return new Response(null, { status });
}

async function startInbox(): Promise<InboxSubject> {
  keys.clear();
  dead.splice(0);
  return {
    inbox: {
      store: async (webhook) => {
        keys.add(webhook.key);
        const init = { method: 'POST', body: JSON.stringify(webhook) };
        const { status } = await inbox.dispatchFetch('http://worker/', init);
        if (status !== 200) throw new Error(`responded with ${status}`);
      },
    },
    work: (process) => {
      const { promise, resolve } = deferred();
      const worker = { process, killed: promise };
      workers.push(worker);
      return () => {
        workers.splice(workers.indexOf(worker), 1);
        resolve();
      };
    },
    deadLetters: async () => dead,
  };
}

/** The rules that Cloudflare Queues cannot keep, as the README of the example says. */
const BROKEN = [
  'processes one of many simultaneous duplicates',
  'ignores a duplicate of a webhook that is being processed',
  'ignores a duplicate of a processed webhook',
];

/** Takes 20 seconds to fail: miniflare starts no second consumer while one is busy. */
const HANGING = 'a hanging webhook delays no other of its type';
const rules = inboxConformance.filter(({ name }) => name !== HANGING);

test.each(rules)('the inbox on Cloudflare Queues, by the rule: $name', async ({ name, run }) => {
  const kept = run(startInbox);
  if (BROKEN.includes(name)) await expect(kept).rejects.toThrow();
  else await expect(kept).resolves.toBeUndefined();
});
