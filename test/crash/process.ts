/** One process of the campaign: a receiver where the settings have a port, a worker where they have none. */

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
import { openInbox, type ProcessSettings } from './settings.js';
import { openJournal } from './verdict.js';

// Written by the campaign, which starts this process.
const settings = JSON.parse(process.argv[2] ?? '{}') as ProcessSettings;
if (settings.port === undefined) work(settings);
else receive(settings, settings.port);

function receive({ redisPort, secret }: ProcessSettings, port: number): void {
  const receiver = createWebhookReceiver({ secret, inbox: openInbox(redisPort), logLevel: 'off' });
  createServer(receiver.node).listen(port, '127.0.0.1');
}

function work({ redisPort, secret, journals }: ProcessSettings): void {
  const write = openJournal(journals);
  const inbox = openInbox(redisPort, {
    onHandled: ({ key }) => write('recorded', key),
    onLockLost: ({ key = '' }) => write('lost', key),
    onStalled: ({ key }) => write('stalled', key),
  });
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', async () => {
    await sleep(Math.random() * 10);
    if (Math.random() < 0.02) throw new Error('The CRM is away for a moment.');
  });
  const processor = {
    process: async (stored: StoredWebhook, options: { signal?: AbortSignal | undefined }) => {
      write('begun', stored.key, String(stored.payload.leadName));
      await receiver.process(stored, options);
      write('ended', stored.key);
    },
  };
  // The event of a dead worker waits two seconds for another.
  inbox.work(processor, { concurrency: 20, lockDuration: 2_000 });
}
