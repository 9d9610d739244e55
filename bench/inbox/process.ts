import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createWebhookReceiver } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { CONCURRENCY, type Role, SECRET } from './role.js';

// Written by the bench, which starts this process.
const role = JSON.parse(process.argv[2] ?? '{}') as Role;
const { redisUrl, queueName } = role;
const openInbox = () => createBullMQInbox({ connection: redisUrl, queueName, logLevel: 'off' });
const options = { attempts: 10, backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 } };

type Receive = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function ourReceiver(): Receive {
  return createWebhookReceiver({ secret: SECRET, inbox: openInbox(), logLevel: 'off' }).node;
}

/** A receiver as one writes it by hand: read, parse, add a job with the same options. It verifies nothing, and knows no copies. */
function plainReceiver(): Receive {
  const queue = new Queue(queueName, { connection: new Redis(redisUrl) });
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const event = JSON.parse(Buffer.concat(chunks).toString()) as { type: string };
    const jobId = randomUUID();
    await queue.add(event.type, event, { ...options, jobId, deduplication: { id: jobId, ttl: 86_400_000 } });
    response.end();
  };
}

function receive(): void {
  const listener = role.kind === 'ours' ? ourReceiver() : plainReceiver();
  const server = createServer((request, response) => {
    void listener(request, response);
  });
  // A connection that the sender is about to use must not be closed under it.
  server.keepAliveTimeout = 0;
  server.listen(role.port, '127.0.0.1', () => process.send?.('ready'));
}

function work(): void {
  if (role.kind === 'ours') {
    const receiver = createWebhookReceiver({ secret: SECRET, logLevel: 'off' });
    receiver.on('conversation_updated', async () => undefined);
    openInbox().work(receiver, { concurrency: CONCURRENCY });
  } else {
    const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const worker = { connection, concurrency: CONCURRENCY, removeOnComplete: { count: 0 } };
    const plain = new Worker(queueName, async () => undefined, worker);
    plain.on('error', (error) => console.error(error.message));
  }
  process.send?.('ready');
}

process.on('message', () => process.send?.(process.cpuUsage()));
// Nothing is left behind when the bench is stopped.
process.on('disconnect', () => process.exit());
if (role.side === 'receive') receive();
else work();
