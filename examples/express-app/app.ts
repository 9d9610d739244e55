// A shop's support backend: opens a ticket for each chat that an agent hands over, and calls the platform.
import {
  type AgentPlatform,
  AgentPlatformError,
  ApiError,
  BadRequestError,
  type HandlingReceiver,
  NotFoundError,
} from 'agent-platform-sdk';
import express, { type ErrorRequestHandler, type Express } from 'express';

/** A chat for a person to look at. */
export interface Ticket {
  readonly convoId: string;
  readonly assignee: string;
  readonly customer: string;
  readonly summary: string;
}

/** The services the app uses. They are passed in, so that a test can pass a client of the fake. */
export interface Services {
  readonly platform: AgentPlatform;
  readonly receiver: HandlingReceiver;
}

export function createApp({ platform, receiver }: Services): Express {
  const app = express();
  const tickets: Ticket[] = [];

  receiver.on('chat_delegated', async ({ payload }, { signal }) => {
    const { agentId, convoId, assignedToUserId, customerName } = payload;
    const conversation = await platform.conversations.get({ agentId, convoId }, { signal });
    tickets.push({
      convoId,
      assignee: assignedToUserId,
      customer: customerName ?? conversation.userName ?? 'unknown',
      summary: conversation.shortSummary ?? conversation.title ?? '',
    });
  });

  // Before the body parser, which refuses more than 100 kB. The receiver reads the body itself.
  app.post('/webhooks', receiver.node);
  app.use(express.json());

  app.get('/tickets', (_request, response) => {
    response.json(tickets);
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

  app.use(onPlatformError);
  return app;
}

/**
 * A refusal is the caller's problem (4xx); a platform that is down is ours (502).
 *
 * A 404 with the error body of the specification (7) is taken for the service's own, and any other for that of
 * a proxy: an assumption. So is that an unknown record is a 404, because the specification shows hardly any
 * status.
 */
const onPlatformError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof AgentPlatformError)) return next(error);
  const isRefusal = error instanceof ApiError && error.errorBody !== undefined;
  if (isRefusal && error instanceof NotFoundError) response.status(404).json({ error: 'not found' });
  else if (isRefusal && error instanceof BadRequestError) response.status(409).json({ error: 'refused' });
  else {
    // The message is for the log: it names ids and the region.
    console.error(error);
    response.status(502).json({ error: 'the agent platform is not available' });
  }
};
