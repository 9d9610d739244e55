// Runs the stored events. When a person takes over a chat, it opens a ticket.
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentPlatform, type WebhookHandler } from 'agent-platform-sdk';
import type { Inbox } from './inbox.js';
import { INBOX } from './platform.module.js';
import { Tickets } from './tickets.js';

@Injectable()
export class WebhookWorker implements OnApplicationBootstrap {
  constructor(
    @Inject(INBOX) private readonly inbox: Inbox,
    private readonly platform: AgentPlatform,
    private readonly tickets: Tickets,
  ) {}

  onApplicationBootstrap(): void {
    this.inbox.work({ chat_delegated: this.onDelegated });
  }

  /** If it throws, the inbox logs the error and runs the event again later. */
  private readonly onDelegated: WebhookHandler<'chat_delegated'> = async ({ payload }, context) => {
    const { agentId, convoId, customerName = 'unknown' } = payload;
    const { signal, eventKey: key } = context;
    const { lastMessage = '' } = await this.platform.conversations.get({ agentId, convoId }, { signal });
    await this.tickets.open({ key, customer: customerName, lastMessage });
  };
}
