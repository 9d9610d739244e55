/** A receiver that stores events, and a worker that takes them: in a file, in Postgres and on Redis. Runs in a process of its own. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readTask, ready, SECRET, serve } from './child.js';

export interface FileTask {
  readonly side: 'receive' | 'work';
  readonly peer: 'file' | 'Postgres' | 'Redis';
  /** A path, or the URL of a server. */
  readonly place: string;
  /** The number of events that are worked off in one turn. */
  readonly count: number;
}

/** Events that a worker handles at once. */
const CONCURRENCY = 50;

// Written by inbox-file.ts.
const { side, peer, place, count } = readTask() as FileTask;

async function openInbox() {
  if (peer === 'file') {
    const { createSqliteInbox } = await import('agent-platform-sdk/sqlite');
    return createSqliteInbox({ path: place, logLevel: 'off' });
  }
  if (peer === 'Postgres') {
    const { createPostgresInbox } = await import('agent-platform-sdk/postgres');
    return createPostgresInbox({ connectionString: place, logLevel: 'off' });
  }
  const { createBullMQInbox } = await import('agent-platform-sdk/bullmq');
  return createBullMQInbox({ connection: place, queueName: 'bench', logLevel: 'off' });
}

const inbox = await openInbox();

/** Events a second, from the start of a worker until it has handled `count`. */
async function workOff(): Promise<number> {
  let handled = 0;
  const begun = performance.now();
  const end = await new Promise<number>((resolve) => {
    const handler = () => {
      handled += 1;
      if (handled === count) resolve(performance.now());
    };
    const worker = inbox.work({ conversation_updated: handler }, { concurrency: CONCURRENCY });
    closing = () => worker.close();
  });
  await closing();
  return (count * 1_000) / (end - begun);
}
let closing = () => Promise.resolve();

if (side === 'receive') {
  const { createWebhookReceiver } = await import('agent-platform-sdk');
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, logLevel: 'off' });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  serve(receiver.node, () => {
    const delay = delays.percentile(99) / 1e6;
    delays.reset();
    return { delay };
  });
} else {
  ready(async () => ({ worked: await workOff() }));
}
