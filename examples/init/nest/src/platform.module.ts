// The SDK as Nest providers: the client, the inbox that keeps the events, and the receiver in front of it.
import { Logger, Module } from '@nestjs/common';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createInbox, type Inbox } from './inbox.js';

export const INBOX = Symbol('INBOX');
export const RECEIVER = Symbol('RECEIVER');

const nest = new Logger('Platform');
/** Nest calls the level `info` "log". */
const logger = {
  error: (line: string) => nest.error(line),
  warn: (line: string) => nest.warn(line),
  info: (line: string) => nest.log(line),
  debug: (line: string) => nest.debug(line),
};

@Module({
  providers: [
    // Its settings are AGENT_PLATFORM_REGION, _TOKEN, and _BASE_URL_EU or _BASE_URL_NA.
    { provide: AgentPlatform, useFactory: () => new AgentPlatform({ logger }) },
    { provide: INBOX, useFactory: () => createInbox({ logger }) },
    {
      provide: RECEIVER,
      // The secret is AGENT_PLATFORM_WEBHOOK_SECRET.
      useFactory: (inbox: Inbox) => createWebhookReceiver({ inbox, logger }),
      inject: [INBOX],
    },
  ],
  exports: [AgentPlatform, INBOX, RECEIVER],
})
export class PlatformModule {}
