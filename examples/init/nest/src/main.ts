import { NestFactory } from '@nestjs/core';
import { drain, type WebhookReceiver } from 'agent-platform-sdk';
import { AppModule } from './app.module.js';
import type { Inbox } from './inbox.js';
import { INBOX, RECEIVER } from './platform.module.js';
import { ReadyController } from './ready.controller.js';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  const receiver: WebhookReceiver = app.get(RECEIVER);
  app.use('/webhooks', receiver.node); // before `listen`, which adds the body parsers
  await app.listen(process.env.PORT ?? 3000);

  const server = app.getHttpServer();
  server.keepAliveTimeout = 65_000; // longer than that of the load balancer in front
  const inbox: Inbox = app.get(INBOX);
  const ready = app.get(ReadyController);

  // First the deliveries, then the inbox and its handlers, then your own providers.
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, async () => {
      ready.isEnding = true;
      await drain(server, { inbox, delay: Number(process.env.DRAIN_DELAY ?? 0) });
      await app.close();
    });
  }
}

void main();
