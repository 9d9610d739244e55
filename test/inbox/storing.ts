import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, WebhookError } from 'agent-platform-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { WAITING } from '../../src/inbox/inbox.js';
import { post } from '../webhooks/deliveries.js';
import { type Engine, eventually, processing, receiverWith, settled, stored } from './fixture.js';

/** How every inbox stores. */
export function testStoring({ createInbox, readEverything, block }: Engine): void {
  test('a duplicate is stored once, whichever receiver gets it', async () => {
    const inboxes = [createInbox(), createInbox(), createInbox()];
    const receivers = inboxes.map((inbox) => receiverWith({ inbox }));
    const deliveries = [...receivers, ...receivers, ...receivers].map((receiver) =>
      receiver.handle(post('lead_captured')),
    );
    const statuses = (await Promise.all(deliveries)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await inboxes[0]?.health()).toMatchObject({ waiting: 1 });
  });

  test('after the retention, a duplicate is a new event', async () => {
    const inbox = createInbox({ retention: 50.5 });
    const webhook = stored();
    let runs = 0;
    inbox.work({ lead_captured: () => (runs += 1) });
    await inbox.store(webhook);
    await eventually(async () => {
      await inbox.store(webhook);
      expect(runs).toBe(2);
    });
  });

  test('a duplicate of an event that still waits is not stored, however old it is', async () => {
    const inbox = createInbox({ retention: 1 });
    const webhook = stored();
    await inbox.store(webhook);
    // Longer than the retention.
    await sleep(50);
    await inbox.store(webhook);
    expect(await inbox.health()).toMatchObject({ waiting: 1 });
  });

  test('only the key of a handled event remains', async () => {
    const inbox = createInbox();
    const webhook = stored({ payload: { leadName: 'canary' } });
    inbox.work(processing(async () => undefined));
    await inbox.store(webhook);
    await settled(inbox);
    const everything = await readEverything();
    expect(everything).toContain(webhook.key);
    expect(everything).not.toContain('canary');
  });

  test('a limited amount of events waits to be stored, and room is made by those that are refused', async () => {
    const { most } = WAITING;
    onTestFinished(() => void (WAITING.most = most));
    const inbox = createInbox({ storeTimeout: 2_000 });
    await inbox.store(stored());
    WAITING.most = 2 * JSON.stringify(stored()).length;
    const release = await block();
    const waiting = [inbox.store(stored()), inbox.store(stored())];
    await expect(inbox.store(stored())).rejects.toThrow(/wait to be stored/);
    const results = await Promise.allSettled(waiting);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await release();
    const next = [stored(), stored()];
    await eventually(() => Promise.all(next.map((event) => inbox.store(event))));
  });

  // Closing has a limit of its own, which a busy machine may reach.
  test('closing waits for an event that is being stored', { retry: 3 }, async () => {
    const inbox = createInbox();
    await inbox.store(stored());
    const storing = inbox.store(stored());
    await inbox.close();
    await storing;
    expect(await createInbox().health()).toMatchObject({ waiting: 2 });
  });

  test('a closed inbox stores nothing and starts no worker, and a wrong grace closes nothing', async () => {
    const inbox = createInbox();
    await expect(inbox.close({ grace: -1 })).rejects.toThrow(ConfigurationError);
    await inbox.store(stored());
    await inbox.close();
    await expect(inbox.store(stored())).rejects.toThrow(/closed/);
    await expect(inbox.deadLetters.list()).rejects.toThrow(WebhookError);
    expect(() => inbox.work({})).toThrow(/closed/);
    expect(await inbox.health()).toMatchObject({ ready: false });
  });
}
