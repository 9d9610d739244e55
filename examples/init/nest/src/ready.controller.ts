// GET /ready, for a readiness probe: 503 while the inbox can't store events.
import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import type { InboxHealth, SqliteInbox } from 'agent-platform-sdk/sqlite';
import { INBOX } from './platform.module';

@Controller('ready')
export class ReadyController {
  constructor(@Inject(INBOX) private readonly inbox: SqliteInbox) {}

  @Get()
  async read(): Promise<InboxHealth> {
    const health = await this.inbox.health();
    if (!health.ready) throw new ServiceUnavailableException(health);
    return health;
  }
}
