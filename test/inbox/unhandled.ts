import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal } from '../webhooks/deliveries.js';
import { type Engine, eventually, record, settled, stored } from './fixture.js';

const other = () => stored({ type: 'agent_deleted', payload: minimal.agent_deleted });

/** What becomes of events whose type has no handler in a worker. */
export function testUnhandled({ createInbox }: Engine): void {
  test('an event waits for a worker with a handler, at no cost of an attempt, and its type is warned of once', async () => {
    const { hooks, calls, runs } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger, attempts: 1 });
    const webhooks = [other(), other(), other()];
    for (const webhook of [...webhooks, stored()]) await inbox.store(webhook);
    inbox.work({ lead_captured: () => undefined });
    await eventually(() => expect(calls).toEqual(['handled']));
    await eventually(() =>
      expect(logger.lines.join()).toContain('no handler for agent_deleted in this worker'),
    );
    expect(await inbox.health()).toMatchObject({ depth: 3, active: 0, deadLetters: 0 });
    inbox.work({ agent_deleted: () => undefined });
    await settled(inbox);
    await eventually(() => expect(runs.slice(1)).toMatchObject(webhooks.map(() => ({ attempt: 1 }))));
    expect(logger.lines.filter((line) => line.includes('no handler for agent_deleted'))).toHaveLength(1);
  });

  test('a type that another worker of the process handles is neither counted nor warned of', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    const end = deferred();
    inbox.work({ agent_deleted: () => end.promise }, { concurrency: 1 });
    inbox.work({ lead_captured: () => undefined });
    for (const event of [other(), other(), other(), stored()]) await inbox.store(event);
    await eventually(async () => expect(await inbox.health()).toMatchObject({ depth: 3, active: 1 }));
    expect(await inbox.health()).toMatchObject({ unhandled: 0 });
    end.resolve();
    await settled(inbox);
    expect(logger.lines.join()).not.toContain('no handler for');
  });

  test('a bare pair of functions decides by its `handles`, whatever the characters of the type and their number', async () => {
    const inbox = createInbox();
    const odd = ['', '"\\', '\uFEFFa', 'a\0b', 'a\0c', '\0', 'é', '\u{1F600}', "'", '%'];
    const types = [...odd, ...Array.from({ length: 600 }, (_, index) => `type ${index}`)];
    await Promise.all([...types, 'lead_captured'].map((type) => inbox.store(stored({ type }))));
    const handled: string[] = [];
    const handles = (type: string) => type !== 'lead_captured';
    inbox.work({ handles, process: async ({ type }) => void handled.push(type) });
    await eventually(async () => expect(await inbox.health()).toMatchObject({ depth: 1, active: 0 }));
    expect(handled.sort()).toEqual(types.sort());
  });

  test('a type that fails all the time holds up no other', async () => {
    const inbox = createInbox({ attempts: 1_000, backoff: 20 });
    const failing = new Set<string>();
    let runs = 0;
    let isHandled = false;
    inbox.work(
      {
        agent_deleted: async (_, { eventKey }) => {
          failing.add(eventKey);
          if (!isHandled) runs += 1;
          await sleep(10);
          throw new Error('the CRM is away');
        },
        lead_captured: () => {
          isHandled = true;
        },
      },
      { concurrency: 1 },
    );
    for (let count = 0; count < 20; count += 1) await inbox.store(other());
    await eventually(() => expect(failing.size).toBe(20));
    runs = 0;
    await inbox.store(stored());
    await eventually(() => expect(isHandled).toBe(true));
    // Those that were due already, each once; and one of each that a queue has moved to its end meanwhile.
    expect(runs).toBeLessThanOrEqual(40);
  });
}
