/** Receivers that store events, and workers: ours, and plain BullMQ. Each runs in its own process. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { readTask, ready, SECRET, serve } from './child.js';

export interface InboxTask {
  readonly side: 'receive' | 'work';
  readonly peer: InboxName;
  readonly redis: string;
  readonly queueName: string;
}

export type InboxName = keyof typeof receivers;

/** How many events a worker handles at once. */
const CONCURRENCY = 50;

type Receive = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

// inbox.ts wrote it.
const { side, peer, redis, queueName } = readTask() as InboxTask;

const receivers = {
  'this package': async (): Promise<Receive> => {
    const { createWebhookReceiver } = await import('agent-platform-sdk');
    const receiver = createWebhookReceiver({ secret: SECRET, inbox: await openInbox(), logLevel: 'off' });
    return receiver.node;
  },

  /** Verifies nothing, and computes no hash for duplicates. */
  'plain BullMQ': async (): Promise<Receive> => {
    const queue = new Queue(queueName, { connection: new Redis(redis) });
    const backoff = { type: 'exponential', delay: 1_000, jitter: 0.5 };
    const retries = { attempts: 10, backoff, stackTraceLimit: 0 };
    return async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { type: string };
      const jobId = randomUUID();
      const deduplication = { id: jobId, ttl: 86_400_000 };
      await queue.add(event.type, event, { ...retries, jobId, deduplication, timestamp: Date.now() });
      response.end();
    };
  },
};

const workers: Record<InboxName, () => Promise<void>> = {
  'this package': async () => {
    const inbox = await openInbox();
    inbox.work({ conversation_updated: async () => undefined }, { concurrency: CONCURRENCY });
  },

  'plain BullMQ': async () => {
    const connection = new Redis(redis, { maxRetriesPerRequest: null });
    const options = { connection, concurrency: CONCURRENCY, removeOnComplete: { count: 0 } };
    new Worker(queueName, async () => undefined, options).on('error', (error) =>
      console.error(error.message),
    );
  },
};

async function openInbox() {
  const { createBullMQInbox } = await import('agent-platform-sdk/bullmq');
  return createBullMQInbox({ connection: redis, queueName, logLevel: 'off' });
}

if (side === 'receive') {
  const receive = await receivers[peer]();
  serve((request, response) => void receive(request, response));
} else {
  await workers[peer]();
  ready();
}
