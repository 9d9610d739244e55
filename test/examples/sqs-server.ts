import { createHash, randomUUID } from 'node:crypto';
import type { SqsEvent } from '../../examples/lambda/queue.js';
import { serve } from '../support/loopback.js';

interface Message {
  readonly id: string;
  readonly body: string;
  receives: number;
  isVisible: boolean;
}

/** Invokes a function, as an event source mapping with `ReportBatchItemFailures` does. */
type Invoke = (event: SqsEvent) => Promise<{ batchItemFailures: readonly { itemIdentifier: string }[] }>;

const MAX_BYTES = 1_048_576;
const MAX_RECEIVES = 3;
const BATCH_SIZE = 10;

/** A FIFO queue and its dead letters, as far as the example needs them: `SendMessage` over HTTP, and its consumers. */
export async function startSqs() {
  const queue: Message[] = [];
  const deadLetters: Message[] = [];
  const known = new Set<string>();
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    const { QueueUrl = '', MessageBody: body = '', MessageDeduplicationId = '' } = sent;
    const id = randomUUID();
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (Buffer.byteLength(body) > MAX_BYTES) {
      response.writeHead(400).end(JSON.stringify({ __type: 'InvalidParameterValue', message: 'too long' }));
      return;
    }
    const deduplication = `${QueueUrl} ${MessageDeduplicationId}`;
    if (!known.has(deduplication)) {
      const list = QueueUrl.endsWith('/dead-letters.fifo') ? deadLetters : queue;
      list.push({ id, body, receives: 0, isVisible: true });
    }
    known.add(deduplication);
    const MD5OfMessageBody = createHash('md5').update(body).digest('hex');
    response.end(JSON.stringify({ MessageId: id, MD5OfMessageBody }));
  });

  /** Starts to invoke a function. Returns a function that stops, and shows what it had received to others. */
  function poll(invoke: Invoke): () => void {
    const inFlight = new Set<Message>();
    let isStopped = false;
    const deliver = async () => {
      const batch = queue.filter(({ isVisible }) => isVisible).slice(0, BATCH_SIZE);
      if (batch.length === 0) return;
      for (const message of batch) {
        message.receives += 1;
        message.isVisible = false;
        inFlight.add(message);
      }
      const Records = batch.map(({ id, body }) => ({ messageId: id, body }));
      const { batchItemFailures } = await invoke({ Records });
      if (isStopped) return;
      for (const message of batch) {
        inFlight.delete(message);
        message.isVisible = true;
        const hasFailed = batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === message.id);
        if (hasFailed && message.receives < MAX_RECEIVES) continue;
        queue.splice(queue.indexOf(message), 1);
        if (hasFailed) deadLetters.push(message);
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

  return { queueUrl: `${url}/1/queue.fifo`, deadLettersUrl: `${url}/1/dead-letters.fifo`, deadLetters, poll };
}
