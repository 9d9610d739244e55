import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
import { openJournal } from './journal.js';
import { LOCK_DURATION, openInbox, readSettings } from './settings.js';

const { redisPort, secret, journals } = readSettings();
const write = openJournal(journals);
const inbox = openInbox(redisPort, {
  onHandled: ({ key }) => write('recorded', key),
  onLockLost: ({ key = '' }) => write('lost', key),
});

const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on('lead_captured', async () => {
  await sleep(Math.random() * 10);
  if (Math.random() < 0.02) throw new Error('The CRM is away for a moment.');
});

const work = {
  process: async (stored: StoredWebhook, options: { signal?: AbortSignal | undefined }) => {
    write('begun', stored.key, String(stored.payload.leadName));
    await receiver.process(stored, options);
    write('ended', stored.key);
  },
};
inbox.work(work, { concurrency: 20, lockDuration: LOCK_DURATION });
