// The SDK as Nest providers: the client, the inbox that keeps the events, and the receiver in front of it.
import { Logger, Module } from '@nestjs/common';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createSqliteInbox, type SqliteInbox } from 'agent-platform-sdk/sqlite';

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
    {
      provide: INBOX,
      useFactory: () => createSqliteInbox({ path: process.env.INBOX ?? 'webhooks.db', logger }),
    },
    {
      provide: RECEIVER,
      // The secret is AGENT_PLATFORM_WEBHOOK_SECRET.
      useFactory: (inbox: SqliteInbox) => createWebhookReceiver({ inbox, logger }),
      inject: [INBOX],
    },
  ],
  exports: [AgentPlatform, INBOX, RECEIVER],
})
export class PlatformModule {}
