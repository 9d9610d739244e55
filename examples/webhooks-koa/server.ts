// A webhook receiver in a Koa app.
// Start it with: WORKSPACE_SECRET=… PORT=3000 npx tsx examples/webhooks-koa/server.ts
import { createWebhookReceiver } from 'agent-platform-sdk';
import Koa from 'koa';

const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

const app = new Koa();

app.use(async (context, next) => {
  if (context.path !== '/webhooks') return next();
  // The receiver reads the request and writes the response itself.
  context.respond = false;
  return receiver.node(context.req, context.res);
});

app.listen(Number(process.env.PORT ?? 3000));
