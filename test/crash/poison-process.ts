/** One worker beside poison: what a handler does is the name of its event. */

import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookHandlers } from 'agent-platform-sdk';
import { openInbox, type Storage } from './settings.js';

const LOCK_MS = 1_000;
const failed = new Set<string>();
// Written by the campaign, which starts this process.
const storage = JSON.parse(process.argv[2] ?? '{}') as Storage;
const inbox = await openInbox({ storage, inbox: { attempts: 100 } });
const handlers = createWebhookHandlers({ logLevel: 'off' }).on(
  'lead_captured',
  async ({ payload: { agentId } }) => {
    if (agentId === 'exits') {
      await sleep(50);
      process.exit(1);
    }
    if (agentId === 'blocks') {
      await sleep(50);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LOCK_MS);
    }
    if (agentId.startsWith('fails') && !failed.has(agentId)) {
      failed.add(agentId);
      throw new Error('The CRM is away for a moment.');
    }
    await sleep(agentId.startsWith('good') ? 500 : 0);
  },
);
inbox.work(
  {
    handles: () => true,
    process: (stored, options) =>
      stored.payload.agentId === 'invalid'
        ? handlers.process({ ...stored, payload: [] as never }, options)
        : handlers.process(stored, options),
  },
  { concurrency: 50, lockDuration: LOCK_MS },
);
