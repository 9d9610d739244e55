import { WebhookPayloadError } from '../../errors/index.js';
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
  /** Rejects with a readable error if the inbox breaks the rule, after 20 seconds at the latest. */
  run(create: () => InboxSubject | Promise<InboxSubject>): Promise<void>;
}

/**
 * The rules of a `WebhookInbox` and its worker, for the tests of a custom inbox, with any test framework. A
 * case may take some seconds: as long as the queue waits between two attempts.
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
  rule('processes a webhook as it was stored', processes()),
  rule(
    'keeps any text, also a NUL and half a surrogate pair',
    processes(() => ({ text: 'a\u0000b \ud83d \u{1f600} \u2028 "\\' })),
  ),
  rule(
    'stores a conversation of 1.5 MB',
    processes(() => ({ text: 'é'.repeat(750_000) })),
  ),
  rule('processes one of many simultaneous duplicates', async ({ inbox, work, seen, settled }) => {
    const webhook = newWebhook();
    const duplicates = Array.from({ length: 20 }, (_, index) => ({
      ...webhook,
      deliveryId: `duplicate ${index}`,
    }));
    await Promise.all(duplicates.map(async (duplicate) => inbox.store(duplicate)));
    await work(async () => undefined);
    await settled();
    expectSame(seen(webhook), 1);
  }),
  rule('ignores a duplicate of a webhook that is being processed', async ({ inbox, work, seen, settled }) => {
    const webhook = newWebhook();
    let isStored = false;
    await work(async ({ key }) => {
      if (key === webhook.key) await eventually('the duplicate is stored', () => isStored);
    });
    await inbox.store(webhook);
    await eventually('it has started', () => seen(webhook) === 1);
    await inbox.store({ ...webhook, deliveryId: 'duplicate' });
    isStored = true;
    await settled();
    expectSame(seen(webhook), 1);
  }),
  rule('ignores a duplicate of a processed webhook', async ({ inbox, work, seen, settled }) => {
    const webhook = newWebhook();
    await work(async () => undefined);
    await inbox.store(webhook);
    await settled();
    await inbox.store({ ...webhook, deliveryId: 'duplicate' });
    await settled();
    expectSame(seen(webhook), 1);
  }),
  rule('one of two workers processes a webhook', async ({ inbox, work, seen, settled }) => {
    await work(async () => undefined);
    await work(async () => undefined);
    const webhooks = Array.from({ length: 50 }, () => newWebhook());
    await Promise.all(webhooks.map(async (webhook) => inbox.store(webhook)));
    await eventually('all are processed', () => webhooks.every((webhook) => seen(webhook) > 0));
    await settled();
    expectSame(webhooks.filter((webhook) => seen(webhook) > 1).length, 0);
  }),
  rule('retries a failed webhook, and does not keep it after a success', async (subject) => {
    const { inbox, work, seen, settled } = subject;
    const webhook = newWebhook();
    await work(async ({ key }) => {
      if (key === webhook.key && seen(webhook) < 2) throw new Error('away for a moment');
    });
    await inbox.store(webhook);
    await eventually('it is processed again', () => seen(webhook) === 2);
    await settled();
    expectSame(await subject.kept(webhook), false);
  }),
  rule('keeps a webhook that always fails, unchanged', async ({ inbox, work, kept }) => {
    const webhook = newWebhook();
    await inbox.store(webhook);
    await work(async () => {
      throw new Error('never again');
    });
    await eventually('it is a dead letter', () => kept(webhook));
  }),
  rule('keeps an invalid webhook after one run', async (subject) => {
    const { inbox, work, seen, settled, kept } = subject;
    const webhook = newWebhook();
    await work(async ({ key }) => {
      if (key === webhook.key) throw new WebhookPayloadError('does not fit', { issues: [] });
    });
    await inbox.store(webhook);
    await eventually('it is a dead letter', () => kept(webhook));
    await settled();
    expectSame(seen(webhook), 1);
  }),
  rule('a hanging webhook delays no other of its type', async ({ inbox, work, seen }) => {
    const [stuck, next] = [newWebhook(), newWebhook()];
    await work(async ({ key }) => {
      if (key === stuck.key) await new Promise(() => undefined);
    });
    await inbox.store(stuck);
    await eventually('it has started', () => seen(stuck) === 1);
    await inbox.store(next);
    await eventually('the next one is processed', () => seen(next) === 1);
  }),
  rule('another worker processes what a killed worker left', async (subject) => {
    const { inbox, work, seen } = subject;
    const webhook = newWebhook();
    const stop = await work(async () => new Promise(() => undefined));
    await inbox.store(webhook);
    await eventually('it has started', () => seen(webhook) === 1);
    await stop();
    await work(async () => undefined);
    await eventually('it is processed again', () => seen(webhook) === 2);
  }),
];

/** A subject with a record of what was processed. */
interface Recorded {
  readonly inbox: WebhookInbox;
  readonly work: (process: ProcessStored) => Promise<StopWork>;
  /** Counts the runs of a webhook that came as it was stored. */
  readonly seen: (webhook: StoredWebhook) => number;
  /** Whether a webhook is a dead letter, as it was stored. */
  readonly kept: (webhook: StoredWebhook) => Promise<boolean>;
  /** Resolves when a webhook stored now was processed: those before it have started by then. */
  readonly settled: () => Promise<void>;
}

/* @__NO_SIDE_EFFECTS__ */
function rule(name: string, check: (subject: Recorded) => Promise<void>): InboxCase {
  const run: InboxCase['run'] = async (create) => {
    const subject = await create();
    const runs: string[] = [];
    const stops = new Set<StopWork>();
    const seen = (webhook: StoredWebhook) => runs.filter((shown) => shown === show(webhook)).length;
    const recorded: Recorded = {
      inbox: { store: (webhook) => subject.inbox.store(webhook) },
      seen,
      work: async (process) => {
        const stop = await subject.work(async (stored) => {
          runs.push(show(stored));
          await process(stored);
        });
        stops.add(stop);
        return () => {
          stops.delete(stop);
          return stop();
        };
      },
      kept: async (webhook) => {
        const letters = await subject.deadLetters();
        return letters.some((letter) => show(letter) === show(webhook));
      },
      settled: async () => {
        const marker = newWebhook();
        await subject.inbox.store(marker);
        await eventually('what is stored later is processed', () => seen(marker) > 0);
      },
    };
    try {
      await check(recorded);
    } finally {
      for (const stop of stops) await stop();
    }
  };
  return { name, run };
}

/** Stores a webhook with these fields in its payload, and expects that it is processed as it was stored. */
/* @__NO_SIDE_EFFECTS__ */
function processes(payload?: () => Readonly<Record<string, unknown>>): (subject: Recorded) => Promise<void> {
  return async ({ inbox, work, seen }) => {
    const webhook = { ...newWebhook(payload?.()), workspace: 'acme' };
    await inbox.store(webhook);
    await work(async () => undefined);
    await eventually('it is processed as it was stored', () => seen(webhook) === 1);
  };
}

function newWebhook(payload: Readonly<Record<string, unknown>> = {}): StoredWebhook {
  return {
    version: 1,
    key: randomKey(),
    type: 'webhook_test',
    payload: { message: 'A test.', createdAt: 1_760_000_000_000, ...payload },
    deliveryId: crypto.randomUUID(),
    receivedAt: Date.now(),
  };
}

/** Writes a webhook as text: the same for any order of its fields, and for its duplicates. */
function show({ deliveryId, ...webhook }: StoredWebhook): string {
  return JSON.stringify(webhook, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
