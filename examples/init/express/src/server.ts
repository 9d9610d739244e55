// Receives webhooks, stores them, answers 200, and then runs their handlers.
import { AgentPlatform, createWebhookReceiver, drain } from 'agent-platform-sdk';
import express from 'express';
import { createHandlers, type Tickets } from './handlers.ts';
import { createInbox } from './inbox.ts';

const tickets: Tickets = { open: async (ticket) => console.log('ticket', ticket) }; // yours

// Client and receiver take their settings from the environment.
const inbox = createInbox();
const receiver = createWebhookReceiver({ inbox });
inbox.work(createHandlers(new AgentPlatform(), tickets));

const app = express();
let isEnding = false;

app.post('/webhooks', receiver.node); // before any body parser

// For the load balancer: 503 while the inbox can't store events, and after SIGTERM.
app.get('/ready', async (_request, response) => {
  const health = await inbox.health();
  response.status(health.ready && !isEnding ? 200 : 503).json(health);
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => console.log('listening'));
server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front

// Finishes the open requests, then closes the inbox, which waits for running handlers.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    isEnding = true;
    void drain(server, { inbox, delay: Number(process.env.DRAIN_DELAY ?? 0) });
  });
}
