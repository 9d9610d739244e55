import { ConfigurationError, type StoredWebhook } from 'agent-platform-sdk';
import type { ListDeadLettersOptions } from 'agent-platform-sdk/sqlite';
import { expect, test } from 'vitest';
import { type Engine, type Inbox, processing, settled, stored } from './fixture.js';

const count = async (inbox: Inbox) => (await inbox.health()).deadLetters;

/** How the dead letters of every inbox behave. */
export function testDeadLetters({ createInbox }: Engine): void {
  /** An inbox with this many dead letters; `mend` makes the handlers succeed from then on. */
  const setUp = async (count: number) => {
    const inbox = createInbox({ attempts: 1 });
    const handled: string[] = [];
    let isBroken = true;
    const handlers = processing(async ({ key }) => {
      if (isBroken) throw new Error('no');
      handled.push(key);
    });
    inbox.work(handlers, { concurrency: 1 });
    const webhooks: StoredWebhook[] = Array.from({ length: count }, () => stored());
    for (const webhook of webhooks) await inbox.store(webhook);
    await settled(inbox);
    const mend = () => {
      isBroken = false;
    };
    return { inbox, handled, mend, ids: webhooks.map(({ key }) => key), webhooks };
  };

  test('dead letters are listed in pages, in the order of their ids', async () => {
    const { inbox, ids } = await setUp(5);
    const list = async (options?: ListDeadLettersOptions) =>
      (await inbox.deadLetters.list(options)).map(({ id }) => id);
    expect(await list()).toEqual(ids);
    expect(await list({ after: ids[0], limit: 2 })).toEqual(ids.slice(1, 3));
    expect(await list({ after: ids[4] })).toEqual([]);
    await expect(list({ limit: 0 })).rejects.toThrow(ConfigurationError);
  });

  test('pages skip none although each one is replayed or removed before the next page', async () => {
    const { inbox, ids } = await setUp(7);
    const seen: string[] = [];
    for (let after = '', isLast = false; !isLast; ) {
      const page = await inbox.deadLetters.list({ after, limit: 2 });
      for (const { id } of page) {
        seen.push(id);
        // A replayed one fails again, and is not met twice.
        if (seen.length % 2 === 0) await inbox.deadLetters.remove(id);
        else await inbox.deadLetters.replay(id);
      }
      await settled(inbox);
      after = page.at(-1)?.id ?? '';
      isLast = page.length === 0;
    }
    expect(seen).toEqual(ids);
  });

  test('one is found by its id', async () => {
    const { inbox, ids, webhooks } = await setUp(1);
    const before = Date.now();
    const letter = await inbox.deadLetters.get(ids[0] ?? '');
    expect(letter).toMatchObject({ id: ids[0], webhook: webhooks[0], attempts: 1 });
    expect(before - (letter?.failedAt ?? 0)).toBeLessThan(60_000);
    expect(await inbox.deadLetters.get('0'.repeat(64))).toBeUndefined();
  });

  test('a replayed one has all its attempts, and is handled or a dead letter again', async () => {
    const { inbox, ids, mend, handled } = await setUp(2);
    expect(await inbox.deadLetters.replay(ids[0] ?? '')).toBe(true);
    await settled(inbox);
    expect(await inbox.deadLetters.get(ids[0] ?? '')).toMatchObject({ attempts: 1 });
    mend();
    expect(await inbox.deadLetters.replay(ids[1] ?? '')).toBe(true);
    await settled(inbox);
    expect([handled, await count(inbox)]).toEqual([[ids[1]], 1]);
  });

  test('an event that is no dead letter is neither replayed nor removed', async () => {
    const inbox = createInbox();
    const webhook = stored();
    await inbox.store(webhook);
    expect(await inbox.deadLetters.replay(webhook.key)).toBe(false);
    expect(await inbox.deadLetters.remove(webhook.key)).toBe(false);
    expect(await inbox.deadLetters.remove('0'.repeat(64))).toBe(false);
    expect((await inbox.health()).waiting).toBe(1);
    await expect(inbox.deadLetters.replay(undefined as never)).rejects.toThrow(
      'deadLetters.replay: id is missing',
    );
  });

  test('all are replayed, also if they fail again, and each once if two processes replay at the same moment', async () => {
    const { inbox, ids, mend, handled } = await setUp(45);
    expect(await inbox.deadLetters.replayAll()).toBe(45);
    await settled(inbox);
    expect(await count(inbox)).toBe(45);
    mend();
    const counts = await Promise.all([inbox.deadLetters.replayAll(), createInbox().deadLetters.replayAll()]);
    expect(counts[0] + counts[1]).toBe(45);
    await settled(inbox);
    expect(handled.sort()).toEqual(ids.sort());
  });

  test('an async function selects too, and what is not a function is refused', async () => {
    const { inbox, ids, mend, handled } = await setUp(3);
    // From JavaScript.
    const replaying = inbox.deadLetters.replayAll('lead_captured' as unknown as () => boolean);
    await expect(replaying).rejects.toThrow(/select must be a function/);
    mend();
    expect(await inbox.deadLetters.replayAll(async ({ id }) => id !== ids[0])).toBe(2);
    await settled(inbox);
    expect([handled.length, await count(inbox)]).toEqual([2, 1]);
  });

  test('a removed one is gone, and a later duplicate is a new event', async () => {
    const { inbox, ids, webhooks, mend, handled } = await setUp(1);
    await inbox.store(webhooks[0] ?? stored());
    expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 1 });
    mend();
    expect(await inbox.deadLetters.remove(ids[0] ?? '')).toBe(true);
    expect(await count(inbox)).toBe(0);
    await inbox.store(webhooks[0] ?? stored());
    await settled(inbox);
    expect(handled).toEqual(ids);
  });
}
