// GET /ready, for the load balancer: 503 while the inbox can't store events, and after SIGTERM.
import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common';
import type { Inbox } from './inbox.js';
import { INBOX } from './platform.module.js';

@Controller('ready')
export class ReadyController {
  isEnding = false;

  constructor(@Inject(INBOX) private readonly inbox: Inbox) {}

  @Get()
  async read(): Promise<object> {
    const health = await this.inbox.health();
    if (!health.ready || this.isEnding) throw new ServiceUnavailableException(health);
    return health;
  }
}
