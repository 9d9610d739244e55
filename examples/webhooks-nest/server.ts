// A webhook receiver in a Nest app.
// Start it with: WORKSPACE_SECRET=… PORT=3000 npx tsx examples/webhooks-nest/server.ts
// Nest reads the metadata of decorators by it.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createWebhookReceiver } from 'agent-platform-sdk';

const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '' })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

class AppModule {}
// Does what the decorator `@Module({})` does, without a compiler option.
Module({})(AppModule);

const app = await NestFactory.create(AppModule);

// Before the body parsers of Nest, which `listen` registers.
app.use('/webhooks', receiver.node);

await app.listen(Number(process.env.PORT ?? 3000));
