/** What this package keeps in memory. Each job runs in its own process. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { heapBytes, readTask, ready } from './child.js';

export type MemoryTask =
  | { readonly job: 'keys'; readonly count: number }
  | { readonly job: 'events'; readonly body: string; readonly count: number }
  | { readonly job: 'aborts'; readonly url: string; readonly count: number };

/** Bytes of each key of an event that was handled. */
async function measureKeys(count: number): Promise<number> {
  const { createMemoryDedupe } = await import('agent-platform-sdk');
  const store = createMemoryDedupe();
  let last = 0;
  const handle = async (events: number) => {
    for (let done = 0; done < events; done += 1) {
      last += 1;
      const key = createHash('sha256').update(String(last)).digest('hex');
      await store.claim(key, 'delivery', 10_000);
      await store.complete(key, 'delivery', 86_400_000);
    }
  };
  await handle(100);
  const before = await heapBytes();
  await handle(count);
  const after = await heapBytes();
  // Keeps the store until here.
  await store.release('', '');
  return (after - before) / count;
}

/** Bytes of each event that waits for a Redis that is away, with its data. */
async function measureEvents(body: string, count: number): Promise<number> {
  const { createBullMQInbox } = await import('agent-platform-sdk/bullmq');
  const inbox = createBullMQInbox({ connection: 'redis://127.0.0.1:1', logLevel: 'off' });
  const store = async (events: number) => {
    for (let stored = 0; stored < events; stored += 1) {
      // Each has a text of its own, as if it had just been received.
      const { type, payload } = JSON.parse(body) as { type: string; payload: Record<string, unknown> };
      const ids = { key: randomUUID(), deliveryId: randomUUID() };
      inbox.store({ version: 1, ...ids, type, payload, receivedAt: Date.now() }).catch(() => undefined);
    }
    // As long as the first attempt takes.
    await setTimeout(100);
  };
  await store(50);
  const before = await heapBytes();
  await store(count);
  return ((await heapBytes()) - before) / count;
}

/** Bytes that are left of each call that was aborted, once by its own signal and once by a shared one. */
async function measureAborts(url: string, count: number): Promise<number> {
  const { AgentPlatform } = await import('agent-platform-sdk');
  const platform = new AgentPlatform({ region: 'eu', token: 't', baseUrls: { eu: url }, logLevel: 'off' });
  const abortCalls = async (calls: number) => {
    for (let made = 0; made < calls; made += 100) {
      const shared = new AbortController();
      const pending: Promise<unknown>[] = [];
      const own = Array.from({ length: 50 }, () => new AbortController());
      for (const { signal } of own) {
        for (const one of [signal, shared.signal]) {
          pending.push(platform.tools.get('tool_1', { signal: one }).catch(() => undefined));
        }
      }
      await setTimeout(5);
      for (const controller of [...own, shared]) controller.abort();
      await Promise.all(pending);
    }
  };
  // Memory grows until then, and no further.
  await abortCalls(count / 2);
  const before = await heapBytes();
  await abortCalls(count);
  return ((await heapBytes()) - before) / count;
}

// memory.ts wrote it.
const task = readTask() as MemoryTask;
let bytes: number;
if (task.job === 'keys') bytes = await measureKeys(task.count);
else if (task.job === 'events') bytes = await measureEvents(task.body, task.count);
else bytes = await measureAborts(task.url, task.count);
ready(() => ({ bytes }));
