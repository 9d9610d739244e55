// The inbox on SQS: a FIFO queue in which each event is a group of its own, and its queue of dead letters.
import { gunzipSync, gzipSync } from 'node:zlib';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type StoredWebhook, WebhookError, type WebhookInbox } from 'agent-platform-sdk';

const sqs = new SQSClient();

/** Creates the inbox of a receiver. */
export const createSqsInbox = (queueUrl: string): WebhookInbox => ({
  store: (webhook) => send(queueUrl, webhook.key, encode(webhook)),
});

const send = (QueueUrl: string, key: string, MessageBody: string) =>
  // In a group of its own, an event that fails holds up no other. SQS ignores a duplicate id for five minutes.
  sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: key, MessageDeduplicationId: key }),
  );

/** Compresses, because a message has at most 1 MiB. Base64, because SQS refuses U+FFFE and U+FFFF. */
const encode = (webhook: StoredWebhook): string => gzipSync(JSON.stringify(webhook)).toString('base64');

/** Reads a message body, of the queue or of its dead letters. */
export const decode = (body: string): StoredWebhook =>
  JSON.parse(gunzipSync(Buffer.from(body, 'base64')).toString()) as StoredWebhook;

/** The fields that are used here, of `SQSEvent` of @types/aws-lambda. */
export interface SqsEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** The field that is used here, of `Context` of @types/aws-lambda. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

/** Processes one event, such as `process` of `createWebhookHandlers()`. */
export type Process = (stored: StoredWebhook, options: { readonly signal: AbortSignal }) => Promise<void>;

/** Time that is left to report the failed messages, in ms. */
const REPORT_MS = 2_000;

/**
 * Creates the function that SQS invokes. It returns the messages that failed, which SQS delivers again. An event
 * that no retry can help goes to the dead letters at once.
 */
export function createConsumer(process: Process, deadLettersUrl: string) {
  async function run(body: string, signal: AbortSignal): Promise<void> {
    const stored = decode(body);
    try {
      // One handler that ignores its signal must not fail the whole batch.
      await Promise.race([process(stored, { signal }), rejectWhenAborted(signal)]);
    } catch (error) {
      if (!(error instanceof WebhookError) || error.retryable) throw error;
      await send(deadLettersUrl, stored.key, body);
    }
  }
  return async ({ Records }: SqsEvent, context: LambdaContext) => {
    const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - REPORT_MS);
    const runs = await Promise.allSettled(Records.map(({ body }) => run(body, signal)));
    const batchItemFailures = Records.flatMap(({ messageId }, index) => {
      const result = runs[index];
      if (result?.status !== 'rejected') return [];
      console.error('message', messageId, result.reason);
      return [{ itemIdentifier: messageId }];
    });
    return { batchItemFailures };
  };
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    // An aborted signal fires no more.
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
