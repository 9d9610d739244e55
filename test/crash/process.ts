/** One process of the campaign: a receiver or a worker. */

import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createWebhookHandlers,
  createWebhookReceiver,
  drain,
  type LogFields,
  type Logger,
} from 'agent-platform-sdk';
import type { BullMQInboxWorker } from 'agent-platform-sdk/bullmq';
import { openJournal, type Step } from './journal.js';
import { openInbox, POISONED, type ProcessSettings, TYPES, type WorkerSettings } from './settings.js';

type Inbox = Awaited<ReturnType<typeof openInbox>>;
type BullMQWorker = BullMQInboxWorker['bullmq'];

// Written by the campaign, which starts this process.
const settings = JSON.parse(process.argv[2] ?? '{}') as ProcessSettings;
if (settings.clock !== undefined) setClock(settings.clock);
const write = openJournal(settings.journals);
const inbox = await openInbox(settings, {
  hooks: {
    onHandled: ({ key }) => write('recorded', key),
    onRetry: ({ key }) => write('failed', key),
    onDeadLetter: ({ key }) => write('failed', key),
  },
  ...(!('redis' in settings.storage) && { logger: lockLogger(), logLevel: 'warn' }),
});
const server = settings.port === undefined ? undefined : receive(inbox, settings.port);
if (settings.worker !== undefined) work(inbox, settings.worker);
// As a deployment ends it: a receiver by the recipe of docs/guides/deploying.md.
process.on('SIGTERM', () => {
  const closed = server === undefined ? inbox.close() : drain(server, { inbox });
  void closed.then(() => process.exit());
});

function receive(inbox: Inbox, port: number): Server {
  const receiver = createWebhookReceiver({ secret: settings.secret, inbox, logLevel: 'off' });
  const server = createServer(receiver.node);
  // Above that of whatever is in front: the default, 5 s, is less than the pause between two events.
  server.keepAliveTimeout = 65_000;
  return server.listen(port, '127.0.0.1');
}

function work(inbox: Inbox, worker: WorkerSettings): void {
  const handlers = createWebhookHandlers({ logLevel: 'off' });
  for (const type of TYPES) {
    handlers.on(type, async ({ payload }, { eventKey }) => {
      write('started', eventKey, payload.agentId);
      await handle(worker, payload.agentId, () => write('blocked', eventKey));
      const end = () => write('ended', eventKey);
      if (worker.writes === true) await writeOnce(inbox, eventKey, payload.agentId, end);
      else end();
    });
  }
  const started = inbox.work(handlers, worker.options);
  if ('bullmq' in started) watchLocks((started as BullMQInboxWorker).bullmq);
}

/** Writes what the handler has done, and completes its event. */
async function writeOnce(inbox: Inbox, key: string, name: string, end: () => void): Promise<void> {
  if (!('transaction' in inbox)) throw new Error('only an inbox in Postgres writes');
  await inbox.transaction(key, async (client) => {
    await client.query('INSERT INTO written VALUES ($1)', [name]);
    // Some are killed before the commit, some after it.
    await sleep(Math.random() * 10);
    end();
  });
}

/** Records which locks are lost, by BullMQ's events. */
function watchLocks(bullmq: BullMQWorker): void {
  bullmq
    .on('stalled', (key) => write('stalled', key))
    .on('lockRenewalFailed', (keys) => keys.forEach((key) => write('lost', key)))
    .on('error', ({ name, message }) => {
      // BullMQ could not record the end of a run, because its lock was gone.
      const [, key] = /^(?:Missing lock|Lock mismatch) for job (\S+)\./.exec(message) ?? [];
      if (key !== undefined) write('lost', key);
      else if (name === 'ReplyError') write('refused', message.split(' ')[0] ?? '');
    });
}

/** Records which locks are lost, by the log lines of an inbox in a file. */
function lockLogger(): Logger {
  const steps: Readonly<Record<string, Step>> = { stalled: 'stalled', lock_lost: 'lost' };
  const take = (line: string, { key, outcome = '' }: LogFields = {}) => {
    const step = steps[outcome];
    if (step !== undefined) write(step, key ?? '');
    else if (outcome === '') console.error(line);
  };
  return { error: take, warn: take, info: take, debug: take };
}

async function handle(
  { failing = 0.02, hanging = 0, poison, blocking }: WorkerSettings,
  name: string,
  noteBlocked: () => void,
): Promise<void> {
  await sleep(Math.random() * 10);
  if (Math.random() < hanging) await new Promise(() => undefined);
  if (poison !== undefined && numberOf(name) % Math.round(1 / poison) === 0) process.exit(POISONED);
  if (blocking !== undefined && chosen(name, blocking.share)) {
    block(blocking.ms);
    noteBlocked();
    // The lock should have been renewed long ago: the worker notices the loss while the handler still runs.
    await sleep(1_000);
  }
  if (Math.random() < failing) throw new Error('The CRM is away for a moment.');
}

const blocked = new Set<string>();

/** The same events in every process, once in each: what blocks one worker blocks the next. */
function chosen(name: string, share: number): boolean {
  if (numberOf(name) % Math.round(1 / share) !== 0 || blocked.has(name)) return false;
  blocked.add(name);
  return true;
}

function numberOf(name: string): number {
  return Number(name.split('-')[1]);
}

/** Sets the clock of this process, again and again: ahead, back, or right. */
function setClock({ most, every }: NonNullable<ProcessSettings['clock']>): void {
  const right = Date.now;
  let ahead = 0;
  Date.now = () => Math.round(right() + ahead);
  const step = () => {
    ahead = Math.random() < 0.3 ? 0 : (Math.random() * 2 - 1) * most;
  };
  step();
  setInterval(step, every).unref();
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
