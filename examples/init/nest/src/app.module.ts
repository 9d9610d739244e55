import { Module } from '@nestjs/common';
import { PlatformModule } from './platform.module.js';
import { ReadyController } from './ready.controller.js';
import { Tickets } from './tickets.js';
import { WebhookWorker } from './webhook-worker.js';

@Module({
  imports: [PlatformModule],
  controllers: [ReadyController],
  providers: [Tickets, WebhookWorker],
})
export class AppModule {}
