import { type AgentPlatform, BadRequestError, NotFoundError, type WebhookReceiver } from 'agent-platform-sdk';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { TicketDesk } from './ticket-desk.js';

/** The app's dependencies. Passed in, so that a test can pass a fake platform's client. */
export interface Services {
  readonly platform: AgentPlatform;
  readonly receiver: WebhookReceiver;
  readonly desk: TicketDesk;
}

/** A shop's support backend: what an agent hands over becomes a ticket, with the conversation's summary. */
export function createApp({ platform, receiver, desk }: Services): Express {
  const app = express();

  receiver.on('chat_delegated', async ({ payload }, { signal }) => {
    const { agentId, convoId, assignedToUserId } = payload;
    const conversation = await platform.conversations.get({ agentId, convoId }, { signal });
    desk.open({
      convoId,
      assignee: assignedToUserId,
      customer: payload.customerName ?? conversation.userName ?? 'unknown',
      summary: conversation.shortSummary ?? conversation.title ?? '',
    });
  });

  // Before the body parser, which refuses what is larger than 100 kB.
  app.post('/webhooks', receiver.node);
  app.use(express.json());

  app.get('/tickets', (_request, response) => {
    response.json(desk.tickets);
  });

  app.get('/tools/:toolId', async (request, response) => {
    const { id, name, channels } = await platform.tools.get(request.params.toolId);
    response.json({ id, name, channels });
  });

  app.put('/agents/:agentId/greeting', async (request, response) => {
    const { text } = request.body as { text: string };
    const { id } = await platform.variables.create(request.params.agentId, {
      key: 'greeting',
      value: text,
      isGlobal: true,
    });
    response.status(201).json({ id });
  });

  app.use(platformErrors);
  return app;
}

/** Answers 4xx where the platform refuses, which is the caller's problem, and 502 where it cannot be reached, which is ours. */
const platformErrors: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof NotFoundError) response.status(404).json({ error: 'not found' });
  else if (error instanceof BadRequestError) response.status(409).json({ error: error.code });
  else response.status(502).json({ error: 'the agent platform does not answer' });
};
