// The inbox on Cloudflare Queues, with R2 for events that are too large for a message.
import { type StoredWebhook, WebhookError, type WebhookInbox } from 'agent-platform-sdk';

/** The methods that are used here, of `Queue` of @cloudflare/workers-types. */
export interface Queue {
  send(body: Body, options: { readonly contentType: 'json' }): Promise<unknown>;
}

/** The methods that are used here, of `R2Bucket`. */
export interface Bucket {
  put(name: string, value: string): Promise<unknown>;
  get(name: string): Promise<{ json<Value>(): Promise<Value> } | null>;
  delete(name: string): Promise<void>;
}

/** The fields that are used here, of `MessageBatch`. */
export interface Batch {
  readonly messages: readonly { readonly body: Body; ack(): void; retry(): void }[];
}

/** The bindings of wrangler.jsonc. */
export interface Bindings {
  readonly QUEUE: Queue;
  readonly DEAD_LETTERS: Queue;
  readonly LARGE_EVENTS: Bucket;
}

/** An event, or the name of the object in R2 that has it. */
export type Body = StoredWebhook | { readonly name: string };

/** A message has at most 128 kB, with about 100 bytes of Cloudflare's own. */
const MAX_MESSAGE_BYTES = 127_000;

/** Creates the inbox of a receiver. */
export const createQueueInbox = ({ QUEUE, LARGE_EVENTS }: Bindings): WebhookInbox => ({
  async store(webhook) {
    const text = JSON.stringify(webhook);
    if (new TextEncoder().encode(text).byteLength <= MAX_MESSAGE_BYTES) {
      return QUEUE.send(webhook, { contentType: 'json' });
    }
    const name = `webhooks/${webhook.key}`;
    await LARGE_EVENTS.put(name, text);
    return QUEUE.send({ name }, { contentType: 'json' });
  },
});

/** Processes one event, such as `process` of `createWebhookHandlers()`. */
export type Process = (stored: StoredWebhook, options: { readonly signal: AbortSignal }) => Promise<void>;

/** How long one event may hold up its batch. Cloudflare gives a batch 15 minutes. */
const HANDLER_TIMEOUT_MS = 60_000;

/** Processes a batch. What fails is delivered again; what no retry can help goes to the dead letters at once. */
export async function consume(batch: Batch, bindings: Bindings, process: Process): Promise<void> {
  const signal = AbortSignal.timeout(HANDLER_TIMEOUT_MS);
  const run = async (message: Batch['messages'][number]) => {
    try {
      await runOne(message.body, bindings, process, signal);
      message.ack();
    } catch (error) {
      console.error('message', error);
      message.retry();
    }
  };
  await Promise.all(batch.messages.map(run));
}

async function runOne(body: Body, bindings: Bindings, process: Process, signal: AbortSignal): Promise<void> {
  const { DEAD_LETTERS, LARGE_EVENTS } = bindings;
  const stored = 'name' in body ? await (await LARGE_EVENTS.get(body.name))?.json<StoredWebhook>() : body;
  // The object is deleted when its event has been handled: this is a duplicate.
  if (stored === undefined) return;
  try {
    // One handler that ignores its signal must not hold up the batch.
    await Promise.race([process(stored, { signal }), rejectWhenAborted(signal)]);
  } catch (error) {
    if (!(error instanceof WebhookError) || error.retryable) throw error;
    await DEAD_LETTERS.send(body, { contentType: 'json' });
    return;
  }
  if ('name' in body) await LARGE_EVENTS.delete(body.name);
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    // An aborted signal fires no more.
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
