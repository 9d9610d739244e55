import { createHash, randomUUID } from 'node:crypto';
import {
  type Batch,
  type Bindings,
  type Body,
  consume,
  type Process,
} from '../../examples/cloudflare-queues/queue.js';
import type { SqsEvent } from '../../examples/lambda/queue.js';
import { serve } from '../support/loopback.js';

interface Message<Content> {
  readonly id: string;
  readonly body: Content;
  receives: number;
  isVisible: boolean;
}

const MAX_RECEIVES = 3;
const BATCH_SIZE = 10;

/** A queue that delivers each message until a consumer has handled it, or makes it a dead letter. */
class MessageQueue<Content> {
  readonly deadLetters: Content[] = [];
  readonly #messages: Message<Content>[] = [];

  async send(body: Content): Promise<void> {
    this.#messages.push({ id: randomUUID(), body, receives: 0, isVisible: true });
  }

  /**
   * Starts to pass batches to a consumer, which returns the ids of those that failed. Returns a function that stops,
   * and shows what it had received to others.
   */
  poll(consumeBatch: (batch: readonly Message<Content>[]) => Promise<readonly string[]>): () => void {
    const inFlight = new Set<Message<Content>>();
    let isStopped = false;
    const deliver = async () => {
      const batch = this.#messages.filter(({ isVisible }) => isVisible).slice(0, BATCH_SIZE);
      if (batch.length === 0) return;
      for (const message of batch) {
        message.receives += 1;
        message.isVisible = false;
        inFlight.add(message);
      }
      const failed = await consumeBatch(batch);
      if (isStopped) return;
      for (const message of batch) {
        inFlight.delete(message);
        message.isVisible = true;
        const hasFailed = failed.includes(message.id);
        if (hasFailed && message.receives < MAX_RECEIVES) continue;
        this.#messages.splice(this.#messages.indexOf(message), 1);
        if (hasFailed) this.deadLetters.push(message.body);
      }
    };
    const timer = setInterval(() => void deliver(), 5);
    return () => {
      isStopped = true;
      clearInterval(timer);
      // Their visibility timeout ends.
      for (const message of inFlight) message.isVisible = true;
    };
  }
}

/** Invokes a function, as an event source mapping with `ReportBatchItemFailures` does. */
type Invoke = (event: SqsEvent) => Promise<{ batchItemFailures: readonly { itemIdentifier: string }[] }>;

const MAX_BYTES = 1_048_576;

/** A FIFO queue and its dead letters, as far as the example needs them: `SendMessage` over HTTP, and its consumers. */
export async function startSqs() {
  const queue = new MessageQueue<string>();
  const known = new Set<string>();
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const { QueueUrl = '', MessageBody: body = '', MessageDeduplicationId = '' } = sent;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (Buffer.byteLength(body) > MAX_BYTES) {
      response.writeHead(400).end(JSON.stringify({ __type: 'InvalidParameterValue', message: 'too long' }));
      return;
    }
    const deduplication = `${QueueUrl} ${MessageDeduplicationId}`;
    if (!known.has(deduplication)) {
      if (QueueUrl.endsWith('/dead-letters.fifo')) queue.deadLetters.push(body);
      else await queue.send(body);
    }
    known.add(deduplication);
    const MD5OfMessageBody = createHash('md5').update(body).digest('hex');
    response.end(JSON.stringify({ MessageId: randomUUID(), MD5OfMessageBody }));
  });
  const poll = (invoke: Invoke) =>
    queue.poll(async (batch) => {
      const Records = batch.map(({ id, body }) => ({ messageId: id, body }));
      const { batchItemFailures } = await invoke({ Records });
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    });
  const { deadLetters } = queue;
  return { queueUrl: `${url}/1/queue.fifo`, deadLettersUrl: `${url}/1/dead-letters.fifo`, deadLetters, poll };
}

/** The bindings of the example cloudflare-queues: queues that know no duplicates, and a bucket. */
export function startCloudflare() {
  const queue = new MessageQueue<Body>();
  const { deadLetters } = queue;
  const objects = new Map<string, string>();
  const bindings: Bindings = {
    QUEUE: queue,
    DEAD_LETTERS: { send: async (body) => deadLetters.push(body) },
    LARGE_EVENTS: {
      put: async (name, value) => objects.set(name, value),
      get: async (name) => (objects.has(name) ? new Response(objects.get(name)) : null),
      delete: async (name) => void objects.delete(name),
    },
  };
  const poll = (process: Process) =>
    queue.poll(async (batch) => {
      const failed: string[] = [];
      const messages: Batch['messages'] = batch.map(({ id, body }) => ({
        body,
        ack: () => undefined,
        retry: () => void failed.push(id),
      }));
      await consume({ messages }, bindings, process);
      return failed;
    });
  return { bindings, deadLetters, objects, poll };
}
