import { NestFactory } from '@nestjs/core';
import { drain, type WebhookReceiver } from 'agent-platform-sdk';
import type { SqliteInbox } from 'agent-platform-sdk/sqlite';
import { AppModule } from './app.module';
import { INBOX, RECEIVER } from './platform.module';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  const receiver: WebhookReceiver = app.get(RECEIVER);
  app.use('/webhooks', receiver.node); // before `listen`, which adds the body parsers
  await app.listen(process.env.PORT ?? 3000);

  const server = app.getHttpServer();
  server.keepAliveTimeout = 65_000; // longer than that of the proxy in front
  const inbox: SqliteInbox = app.get(INBOX);
  // First the deliveries, then the inbox and its handlers, then your own providers.
  process.once('SIGTERM', () => drain(server, { inbox }).then(() => app.close()));
}

void main();
