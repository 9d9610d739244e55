import { WebhookPayloadError } from '../../errors/index.js';
import { isObject } from '../../utils/json.js';
import type { StoredWebhook, WebhookInbox } from '../../webhooks/inbox.js';
import { eventually, expectSame, randomKey } from './support.js';

/** Processes one stored webhook, like `WebhookHandlers.process`; rejects if that fails. */
export type ProcessStored = (stored: StoredWebhook) => Promise<void>;

/**
 * An inbox to test, and the means to start its workers. Configure three attempts, with the shortest delays.
 */
export interface InboxSubject {
  /** An empty inbox, or one that no other case has used a key of. */
  readonly inbox: WebhookInbox;
  /**
   * Starts a worker that processes at least two webhooks at once. Returns a function that kills it: unsettled
   * runs are abandoned, like in a crash.
   */
  work(process: ProcessStored): StopWork | Promise<StopWork>;
  /** Reads the kept webhooks that could not be processed. */
  deadLetters(): Promise<readonly StoredWebhook[]>;
}

/** Stops a worker. */
export type StopWork = () => unknown;

/** One rule that an inbox must keep. */
export interface InboxCase {
  /** The rule, as a title for a test. */
  readonly name: string;
  /** Rejects if the inbox breaks the rule, after at most 20 seconds. */
  run(create: () => InboxSubject | Promise<InboxSubject>): Promise<void>;
}

/**
 * Tests a custom `WebhookInbox` and its worker, in any test framework.
 *
 * A case may take some seconds: as long as the queue waits between two attempts.
 *
 * @example
 * ```ts
 * import type { StoredWebhook, WebhookInbox } from 'agent-platform-sdk';
 * import { inboxConformance } from 'agent-platform-sdk/testing';
 * import { test } from 'vitest';
 *
 * declare function createMyInbox(): WebhookInbox & {
 *   work(process: (stored: StoredWebhook) => Promise<void>): { kill(): void };
 *   deadLetters(): Promise<StoredWebhook[]>;
 * };
 *
 * test.each(inboxConformance)('my inbox: $name', ({ run }) =>
 *   run(() => {
 *     const inbox = createMyInbox();
 *     const work = (process: (stored: StoredWebhook) => Promise<void>) => {
 *       const worker = inbox.work(process);
 *       return () => worker.kill();
 *     };
 *     return { inbox, work, deadLetters: () => inbox.deadLetters() };
 *   }),
 * );
 * ```
 */
export const inboxConformance: readonly InboxCase[] = [
  processes('processes a webhook as it was stored', () => ''),
  processes(
    'keeps any text, also a NUL and half a surrogate pair',
    () => 'a\u0000b \ud83d \u{1f600} \u2028 "\\',
  ),
  processes('stores a conversation of 1.5 MB', () => 'é'.repeat(750_000)),
  rule('processes one of many simultaneous duplicates', async ({ store, webhook, work, runs, settled }) => {
    await Promise.all(Array.from({ length: 20 }, () => store(webhook)));
    await work();
    await settled();
    expectSame(runs(webhook), 1);
  }),
  rule('ignores a duplicate of a webhook that is being processed', async (subject) => {
    const { store, webhook, work, runs, settled } = subject;
    let isStored = false;
    await work(() => eventually('the duplicate is stored', () => isStored));
    await store(webhook);
    await eventually('it has started', () => runs(webhook) === 1);
    await store(webhook);
    isStored = true;
    await settled();
    expectSame(runs(webhook), 1);
  }),
  rule('ignores a duplicate of a processed webhook', async ({ store, webhook, work, runs, settled }) => {
    await work();
    await store(webhook);
    await settled();
    await store(webhook);
    await settled();
    expectSame(runs(webhook), 1);
  }),
  rule('one of two workers processes a webhook', async ({ store, work, runs, settled }) => {
    await work();
    await work();
    const webhooks = Array.from({ length: 50 }, () => newWebhook());
    await Promise.all(webhooks.map(store));
    await eventually('all are processed', () => webhooks.every((webhook) => runs(webhook) > 0));
    await settled();
    expectSame(webhooks.filter((webhook) => runs(webhook) > 1).length, 0);
  }),
  rule('retries a failed webhook, and does not keep it after a success', async (subject) => {
    const { store, webhook, work, runs, settled, isKept } = subject;
    await work(async () => {
      if (runs(webhook) < 2) throw new Error('away for a moment');
    });
    await store(webhook);
    await eventually('it is processed again', () => runs(webhook) === 2);
    await settled();
    expectSame(await isKept(), false);
  }),
  rule('keeps a webhook that always fails, unchanged', async ({ store, webhook, work, isKept }) => {
    await store(webhook);
    await work(async () => {
      throw new Error('never again');
    });
    await eventually('it is a dead letter', isKept);
  }),
  rule('keeps an invalid webhook after one run', async (subject) => {
    const { store, webhook, work, runs, settled, isKept } = subject;
    await work(async () => {
      throw new WebhookPayloadError('does not fit', { issues: [] });
    });
    await store(webhook);
    await eventually('it is a dead letter', isKept);
    await settled();
    expectSame(runs(webhook), 1);
  }),
  rule('a hanging webhook delays no other of its type', async ({ store, webhook, work, runs, settled }) => {
    await work(() => new Promise(() => undefined));
    await store(webhook);
    await eventually('it has started', () => runs(webhook) === 1);
    await settled();
  }),
  rule('another worker processes what a killed worker left', async ({ store, webhook, work, runs }) => {
    const kill = await work(() => new Promise(() => undefined));
    await store(webhook);
    await eventually('it has started', () => runs(webhook) === 1);
    await kill();
    await work();
    await eventually('it is processed again', () => runs(webhook) === 2);
  }),
];

/** An inbox, with a record of what its workers processed. */
interface Recorded {
  /** A webhook that no rule has stored yet. */
  readonly webhook: StoredWebhook;
  /** Stores a webhook as another delivery. */
  readonly store: (webhook: StoredWebhook) => Promise<void>;
  /** Starts a worker, which processes `webhook` by this function. Returns a function that kills it. */
  readonly work: (process?: () => Promise<void>) => Promise<StopWork>;
  /** Counts the runs of a webhook that came as it was stored. */
  readonly runs: (webhook: StoredWebhook) => number;
  /** Returns whether `webhook` is a dead letter, as it was stored. */
  readonly isKept: () => Promise<boolean>;
  /** Resolves when a webhook stored now was processed: those before it have started by then. */
  readonly settled: () => Promise<void>;
}

/* @__NO_SIDE_EFFECTS__ */
function rule(name: string, check: (subject: Recorded) => Promise<void>): InboxCase {
  const run: InboxCase['run'] = async (create) => {
    const subject = await create();
    const webhook = newWebhook();
    const seen: string[] = [];
    const stops = new Set<StopWork>();
    const runs = (stored: StoredWebhook) => seen.filter((shown) => shown === show(stored)).length;
    const store = async (stored: StoredWebhook): Promise<void> => {
      await subject.inbox.store({ ...stored, deliveryId: crypto.randomUUID() });
    };
    const work = async (process = async () => {}) => {
      const stop = await subject.work(async (stored) => {
        seen.push(show(stored));
        if (stored.key === webhook.key) await process();
      });
      stops.add(stop);
      return () => {
        stops.delete(stop);
        return stop();
      };
    };
    const isKept = async () => (await subject.deadLetters()).some((letter) => show(letter) === show(webhook));
    const settled = async () => {
      const marker = newWebhook();
      await store(marker);
      await eventually('what is stored later is processed', () => runs(marker) > 0);
    };
    try {
      await check({ webhook, store, work, runs, isKept, settled });
    } finally {
      for (const stop of stops) await stop();
    }
  };
  return { name, run };
}

/** A webhook with a text in its payload is processed as it was stored. */
/* @__NO_SIDE_EFFECTS__ */
function processes(name: string, text: () => string): InboxCase {
  return rule(name, async ({ store, work, runs }) => {
    const webhook = newWebhook(text());
    await store(webhook);
    await work();
    await eventually('it is processed as it was stored', () => runs(webhook) === 1);
  });
}

function newWebhook(text = ''): StoredWebhook {
  return {
    version: 1,
    key: randomKey(),
    type: 'webhook_test',
    payload: { message: 'A test.', createdAt: 1_760_000_000_000, text },
    workspace: 'acme',
    deliveryId: crypto.randomUUID(),
    receivedAt: Date.now(),
  };
}

/** Writes a webhook as text: the same for any order of its fields, and for its duplicates. */
function show({ deliveryId, ...webhook }: StoredWebhook): string {
  return JSON.stringify(webhook, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
