// A webhook receiver in AWS Lambda that responds when the event is in SQS. The worker is the other function.
// Bundle it with: npx esbuild examples/lambda/receiver.ts --bundle --platform=node --format=cjs --outfile=index.js
import { createWebhookReceiver } from 'agent-platform-sdk';
import { type HttpEvent, handleEvent } from './http-event.js';
import { createSqsInbox } from './queue.js';

const receiver = createWebhookReceiver({
  secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET,
  inbox: createSqsInbox(process.env.QUEUE_URL ?? ''),
  deadline: 25_000,
}).onError((error, { stage }) => console.error(stage, error));

export const handler = (event: HttpEvent) => handleEvent(receiver, event);
