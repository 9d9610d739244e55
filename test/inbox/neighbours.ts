import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type Engine, eventually, hang, processing, record, settled, stored } from './fixture.js';

/** A run that has lost its lock, and succeeds when it is told to. */
async function loseRun({ createInbox, loseLocks }: Engine, meanwhile: () => unknown = () => undefined) {
  const { hooks, calls } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger });
  const [started, lost, end] = [deferred(), deferred(), deferred()];
  const webhook = stored();
  let runs = 0;
  const second = deferred();
  const handlers = processing(async (_, options) => {
    runs += 1;
    if (runs > 1) {
      second.resolve();
      return hang();
    }
    options?.signal?.addEventListener('abort', () => lost.resolve());
    started.resolve();
    await end.promise;
  });
  const worker = inbox.work(handlers, { lockDuration: 400 });
  await inbox.store(webhook);
  await started.promise;
  await loseLocks();
  await lost.promise;
  await meanwhile();
  const losses = () => logger.lines.filter((line) => line.includes('was lost')).length;
  const before = losses();
  /** Resolves when the end of the run was ignored. */
  const ended = () => eventually(() => expect(losses()).toBe(before + 1));
  return {
    inbox,
    worker,
    webhook,
    calls,
    second: second.promise,
    succeed: end.resolve,
    ended,
    runs: () => runs,
  };
}

/**
 * What a success is worth whose run has lost its lock, by what has become of the event:
 *
 * | the event | the success |
 * |---|---|
 * | waits, or is to be retried | counts: the event is handled |
 * | runs elsewhere | counts: the end of that run is not recorded |
 * | is a dead letter | does not count |
 * | was a dead letter, and was replayed | does not count: the event runs again |
 */
export function testNeighbours(engine: Engine): void {
  test('a success counts although its run has lost the lock, while the event waits', async () => {
    const { inbox, succeed, calls, runs } = await loseRun(engine);
    succeed();
    await settled(inbox);
    expect([calls, runs()]).toEqual([['handled'], 1]);
  });

  test('a success counts although the event runs elsewhere', async () => {
    const { inbox, worker, second, succeed, calls } = await loseRun(engine);
    await second;
    succeed();
    await eventually(() => expect(calls).toEqual(['handled']));
    await worker.close({ grace: 0 });
    expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
    expect(calls).toEqual(['handled']);
  });

  test('a success does not count for an event that is a dead letter by now', async () => {
    const { inbox, webhook, succeed, calls, ended } = await loseRun(engine, () => engine.bury());
    succeed();
    await ended();
    expect(await inbox.deadLetters.list()).toMatchObject([{ id: webhook.key }]);
    expect(calls).toEqual([]);
  });

  test('a success does not count for a dead letter that was replayed since', async () => {
    const { inbox, worker, webhook, succeed, calls, second, ended } = await loseRun(engine, () =>
      engine.bury(),
    );
    await inbox.deadLetters.replay(webhook.key);
    succeed();
    await second;
    await ended();
    expect(await inbox.health()).toMatchObject({ active: 1 });
    await worker.close({ grace: 0 });
    expect(calls).toEqual([]);
  });
}
