import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, post, secret } from '../webhooks/deliveries.js';
import { type Engine, eventually, hang, processing, receiverWith, record, stored } from './fixture.js';

/** How the workers of every inbox behave. */
export function testWorkers({ createInbox, loseLocks, readEverything }: Engine): void {
  test('a worker runs handlers by type, with the event and its context', async () => {
    const inbox = createInbox();
    await receiverWith({ secret: { acme: secret }, inbox }).handle(post('lead_captured'));
    const [event, context] = await new Promise<unknown[]>((resolve) => {
      inbox.work({ lead_captured: (event, context) => resolve([event, context]) });
    });
    expect(event).toEqual({ type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' });
    expect(context).toMatchObject({
      deliveryId: expect.any(String),
      eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      receivedAt: expect.any(Number),
      signal: expect.any(AbortSignal),
    });
  });

  test('a handler that fails runs again until it succeeds, and hooks and onError get what it threw', async () => {
    const { hooks, calls, failures, runs } = record();
    const inbox = createInbox({ hooks, attempts: 5 });
    const thrown: unknown[] = [];
    let count = 0;
    const handler = () => {
      count += 1;
      if (count < 3) throw new Error(`no ${count}`);
    };
    inbox.work({ lead_captured: handler }, { onError: (error) => thrown.push(error) });
    const webhook = stored({ workspace: 'acme', receivedAt: Date.now() - 5_000 });
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['retry', 'retry', 'handled']));
    expect(failures).toMatchObject([
      { attempt: 1, error: new Error('no 1') },
      { attempt: 2, error: new Error('no 2') },
    ]);
    expect(thrown).toEqual([new Error('no 1'), new Error('no 2')]);
    expect(runs).toMatchObject([{ key: webhook.key, type: 'lead_captured', workspace: 'acme', attempt: 3 }]);
    expect(runs[0]?.waitedMs).toBeGreaterThanOrEqual(5_000);
  });

  test('an event without an attempt left is a dead letter, with its reason and no stack', async () => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 2 });
    const webhook = stored({ workspace: 'acme' });
    inbox.work({ lead_captured: () => Promise.reject(new TypeError('the CRM\n  is away\u001b')) });
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
    const [letter] = await inbox.deadLetters.list();
    expect(letter).toMatchObject({ id: webhook.key, webhook, attempts: 2, failedAt: expect.any(Number) });
    expect(letter?.reason).toBe('the CRM is away\\u001b');
    expect(await readEverything()).not.toContain('    at ');
  });

  test('a worker runs as many events at once as its concurrency, 10 by default', async () => {
    const inbox = createInbox();
    let running = 0;
    const handler = () => {
      running += 1;
      return hang();
    };
    await Promise.all(Array.from({ length: 15 }, () => inbox.store(stored())));
    const worker = inbox.work({ lead_captured: handler });
    await eventually(() => expect(running).toBe(10));
    inbox.work({ lead_captured: handler }, { concurrency: 3 });
    await eventually(async () =>
      expect(await inbox.health()).toMatchObject({ active: 13, waiting: 2, workers: 2 }),
    );
    await worker.close({ grace: 0 });
  });

  test('an event whose runs all lose their lock is a dead letter with that reason, and can be replayed', async () => {
    const { hooks, calls, failures } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger });
    let runs = 0;
    const handlers = processing(async () => {
      runs += 1;
      await loseLocks();
      await hang();
    });
    inbox.work(handlers, { lockDuration: 100, maxStalls: 2 });
    await inbox.store(stored());
    await eventually(() => expect(calls).toContain('dead letter'));
    expect(runs).toBe(3);
    expect(failures).toMatchObject([{ attempt: 3, error: expect.any(WebhookError) }]);
    expect(await inbox.deadLetters.list()).toMatchObject([
      { attempts: 3, reason: expect.stringContaining('Stalled 3') },
    ]);
    expect(logger.lines.join()).not.toMatch(/(Redis|the file) failed/);
    // After the replay, one lost lock is not too many.
    await inbox.deadLetters.replayAll();
    await eventually(() => expect(runs).toBe(6));
  });

  test('a run that lost its lock is aborted, and the event runs again', async () => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger });
    const signals: AbortSignal[] = [];
    const handler = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      if (signals.length > 1) return;
      await loseLocks();
      await hang();
    };
    inbox.work({ lead_captured: handler }, { lockDuration: 400, concurrency: 2 });
    const webhook = stored();
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['handled']));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({
      name: 'WebhookError',
      message: expect.stringContaining('lock'),
    });
    expect(logger.lines.join()).toContain(`the lock of ${webhook.key} expired`);
    expect(logger.lines.join()).toContain(`the lock of ${webhook.key} was lost`);
    expect(logger.lines.join()).not.toMatch(/(Redis|the file) failed/);
    expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
  });

  test('all methods work without their object', async () => {
    const { store, work, health, idle, close, deadLetters } = createInbox({ attempts: 1 });
    const { list, get, replay, replayAll, remove } = deadLetters;
    const { close: closeWorker } = work({ lead_captured: () => Promise.reject(new Error('no')) });
    const webhook = stored();
    await store(webhook);
    await idle();
    await closeWorker();
    expect(await list()).toEqual([await get(webhook.key)]);
    expect(await replay(webhook.key)).toBe(true);
    expect([await remove(webhook.key), await replayAll()]).toEqual([false, 0]);
    expect(await health()).toMatchObject({ depth: 1 });
    await close();
  });

  test('idle says after two seconds what it waits for', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    await inbox.store(stored());
    const idle = inbox.idle();
    const said = () => logger.lines.filter((line) => line.includes('idle()'));
    await eventually(() =>
      expect(said()).toEqual([
        expect.stringContaining(
          'inbox: idle() waits for events: 1 waiting, 0 running, 0 to be retried; 0 workers',
        ),
      ]),
    );
    inbox.work({ lead_captured: () => undefined });
    await idle;
    expect(said()).toHaveLength(1);
  });

  test('idle resolves when nothing waits, runs or is to be retried, and rejects once the inbox is closed', async () => {
    const inbox = createInbox({ backoff: 50 });
    await inbox.idle();
    const done: string[] = [];
    inbox.work({
      lead_captured: async () => {
        done.push('run');
        await sleep(30);
        if (done.length < 3) throw new Error('no');
      },
    });
    await inbox.store(stored());
    const idle = inbox.idle().then(() => done.push('idle'));
    await inbox.store(stored());
    await idle;
    expect(done).toEqual(['run', 'run', 'run', 'run', 'idle']);
    await inbox.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
    const never = expect(inbox.idle()).rejects.toThrow('The inbox is closed.');
    await inbox.close();
    await never;
  });

  test('closing waits for the events in progress', async () => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks });
    const [started, end] = [deferred(), deferred()];
    inbox.work({
      lead_captured: () => {
        started.resolve();
        return end.promise;
      },
    });
    await inbox.store(stored());
    await started.promise;
    const closed = inbox.close({ grace: 2_147_480_000 });
    setTimeout(end.resolve, 50);
    await closed;
    expect(calls).toEqual(['handled']);
  });

  test('after the grace, events go back to the front of the queue, at no cost of an attempt', async () => {
    const { hooks, calls, runs } = record();
    const inbox = createInbox({ hooks, attempts: 1 });
    const webhooks = [stored(), stored(), stored()];
    const reasons: unknown[] = [];
    const handler = (_: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return hang();
    };
    const worker = inbox.work({ lead_captured: handler }, { concurrency: 2 });
    for (const webhook of webhooks) await inbox.store(webhook);
    await eventually(async () => expect(await inbox.health()).toMatchObject({ active: 2, waiting: 1 }));
    await Promise.all([worker.close({ grace: 20 }), worker.close()]);
    expect(reasons).toEqual([expect.any(WebhookError), expect.any(WebhookError)]);
    expect(await inbox.health()).toMatchObject({ waiting: 3, active: 0, deadLetters: 0, workers: 0 });
    inbox.work({ lead_captured: () => undefined }, { concurrency: 1 });
    await eventually(() => expect(calls).toEqual(['handled', 'handled', 'handled']));
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(runs.at(-1)?.key).toBe(webhooks[2]?.key);
  });
}
