import { Module } from '@nestjs/common';
import { PlatformModule } from './platform.module';
import { ReadyController } from './ready.controller';
import { Tickets } from './tickets';
import { WebhookWorker } from './webhook-worker';

@Module({
  imports: [PlatformModule],
  controllers: [ReadyController],
  providers: [Tickets, WebhookWorker],
})
export class AppModule {}
