import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Test } from '@nestjs/testing';
import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { AppModule } from './app.module.js';
import { INBOX, RECEIVER } from './platform.module.js';
import { type Ticket, Tickets } from './tickets.js';

test('opens one ticket, although the event comes twice', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret: token, agentId, convoId } = fake.seed.eu;
  const platform = new AgentPlatform({ region: 'eu', token, baseUrls: fake.baseUrls, fetch: fake.fetch });
  const inbox = createSqliteInbox({ path: join(mkdtempSync(join(tmpdir(), 'inbox-')), 'webhooks.db') });
  const receiver = createWebhookReceiver({ secret: token, inbox });
  const opened: Ticket[] = [];

  const testing = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(AgentPlatform)
    .useValue(platform)
    .overrideProvider(INBOX)
    .useValue(inbox)
    .overrideProvider(RECEIVER)
    .useValue(receiver)
    .overrideProvider(Tickets)
    .useValue({ open: async (ticket: Ticket) => opened.push(ticket) })
    .compile();
  await testing.init(); // starts the worker

  fake.webhooks.subscribe(receiver);
  await fake.webhooks.send('chat_delegated', { agentId, convoId, customerName: 'Dana' }, { copies: 2 });
  await inbox.idle();
  assert.deepEqual(
    opened.map(({ customer }) => customer),
    ['Dana'],
  );

  await inbox.close();
  await testing.close();
});
