// Receives webhooks, stores them, answers 200, and then runs their handlers.
import { serve } from '@hono/node-server';
import { AgentPlatform, createWebhookReceiver, drain } from 'agent-platform-sdk';
import { Hono } from 'hono';
import { createHandlers, type Tickets } from './handlers.ts';
import { createInbox } from './inbox.ts';

const tickets: Tickets = { open: async (ticket) => console.log('ticket', ticket) }; // yours

// Client and receiver take their settings from the environment.
const inbox = createInbox();
const receiver = createWebhookReceiver({ inbox });
inbox.work(createHandlers(new AgentPlatform(), tickets));

const app = new Hono();
let isEnding = false;

app.post('/webhooks', (context) => receiver.fetch(context.req.raw)); // before anything that reads the body

// For the load balancer: 503 while the inbox can't store events, and after SIGTERM.
app.get('/ready', async (context) => {
  const health = await inbox.health();
  return context.json(health, health.ready && !isEnding ? 200 : 503);
});

const server = serve(
  {
    fetch: app.fetch,
    port: Number(process.env.PORT ?? 3000),
    serverOptions: { keepAliveTimeout: 65_000 }, // longer than that of the load balancer in front
  },
  () => console.log('listening'),
);

// Finishes the open requests, then closes the inbox, which waits for running handlers.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => {
    isEnding = true;
    void drain(server, { inbox, delay: Number(process.env.DRAIN_DELAY ?? 0) });
  });
}
