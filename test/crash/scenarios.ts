/** The scenarios that several storages play. Tests of their own are beside it: `faults.test.ts` begins with all of them. */
import { test } from 'vitest';
import { type Ending, expectPromiseKept } from './conclude.js';
import type { Storage } from './settings.js';
import { EVENTS, IS_SHORT, Stage, type StageOptions } from './stage.js';
import type { Verdict } from './verdict.js';

/**
 * Plays a fault each time that about `every` events were sent.
 *
 * @param happen - Gets how often it has happened before.
 * @param ending - What else must be true at the end.
 */
export async function play(
  fault: string,
  every: number,
  options: StageOptions,
  happen: (stage: Stage, times: number) => Promise<unknown>,
  ending: (times: number, verdict: Verdict) => Partial<Ending> = () => ({}),
): Promise<void> {
  const stage = await Stage.open(options);
  let times = 0;
  await stage.send(every, async () => {
    await happen(stage, times);
    times += 1;
  });
  await expectPromiseKept(stage, (verdict) => {
    const { faults, ...rest } = ending(times, verdict);
    return { faults: { [fault]: times, ...faults }, ...rest };
  });
}

/**
 * Workers that bear as many stalls as there are kills: on a busy machine, a process that has just started may be
 * killed again while it runs the same events.
 */
export const PATIENT = { options: { maxStalls: Math.ceil(EVENTS / 100) } };

/** Faults beside killed processes, each with its share. */
export type Faults = Readonly<
  Record<string, readonly [share: number, happen: (random: () => number) => unknown]>
>;

/** Kills processes of both kinds, replaces them as a deployment does, and plays other faults between. */
export async function playKills(every: number, options: StageOptions, others: Faults = {}): Promise<void> {
  const stage = await Stage.open({ worker: PATIENT, ...options });
  const { workers, receivers, random } = stage;
  const draw = (count: number) => Math.floor(random() * count);
  const faults: Faults = {
    'workers killed': [workers.size, () => workers.kill(draw(workers.size))],
    'workers replaced': [Math.min(1, workers.size), () => workers.replaceOldest()],
    'receivers killed': [receivers.size, () => receivers.kill(draw(receivers.size))],
    'receivers replaced': [1, () => receivers.replaceOldest()],
    ...others,
  };
  const shares = Object.entries(faults).flatMap(([fault, [share]]) => Array<string>(share).fill(fault));
  const counts: Record<string, number> = Object.fromEntries(shares.map((fault) => [fault, 0]));
  // Drawn in a new order each time: each kind happens in a short run too.
  const bag: string[] = [];
  await stage.send(Math.min(every, EVENTS / 12), async () => {
    if (bag.length === 0) bag.push(...shares);
    const [fault = ''] = bag.splice(draw(bag.length), 1);
    await faults[fault]?.[1](random);
    counts[fault] = (counts[fault] ?? 0) + 1;
  });
  await expectPromiseKept(stage, () => ({ faults: counts }));
}

type Open = () => Storage | Promise<Storage>;

const MONTH = 30 * 86_400_000;

/** @param open - Returns how to set the clock of the server too, if there is one. */
export function testClocks(open: () => Promise<{ storage: Storage; setClock?(ms: number): unknown }>): void {
  test('stepping clocks: those of all processes, and of the server, are set ahead and back by up to a month', async () => {
    const { storage, setClock } = await open();
    const stage = await Stage.open({ storage, worker: PATIENT, clock: MONTH, senders: 32 });
    const { workers, random } = stage;
    let steps = 0;
    await stage.send(EVENTS / 10, async () => {
      workers.kill(Math.floor(random() * workers.size));
      steps += 1;
      await setClock?.(steps % 3 === 0 ? 0 : (random() * 2 - 1) * MONTH);
    });
    await setClock?.(0);
    await expectPromiseKept(stage, () => ({
      faults: { 'processes killed': workers.killed.size },
      duplicatesRun: 'a clock jumped by more than the retention, in which duplicates are recognised',
    }));
  });
}

/** Some events end their worker, and some block it: all others must be handled. */
export function testPoison(open: Open): void {
  test('poison: some events end their worker, and some block it', async () => {
    // The second one in the first third: so it is there in a short and in a full campaign.
    const [poison, block, ms] = [3 / EVENTS, 4 / EVENTS, IS_SHORT ? 6_000 : 90_000];
    // With fewer stalls, chance alone could bring a good event together with a poison each time: delays are random.
    const options = { maxStalls: 4, concurrency: 50 };
    const worker = { poison, blocking: { share: block, ms }, options };
    const stage = await Stage.open({ storage: await open(), worker, senders: 32 });
    await stage.send();
    const isOneIn = (share: number, name: string) => Number(name.split('-')[1]) % Math.round(1 / share) === 0;
    await expectPromiseKept(stage, ({ kept }) => {
      const ended = [...stage.ledger.acknowledged].filter((name) => isOneIn(poison, name));
      // One that blocks every worker that is started again may become a dead letter too.
      const innocent = [...kept.keys()].filter((name) => !isOneIn(poison, name) && !isOneIn(block, name));
      return {
        faults: { 'workers ended': stage.workers.killed.size, 'dead letters': kept.size },
        poisons: kept.size,
        rules: {
          [`innocent events are dead letters: ${innocent.join()}`]: innocent.length === 0,
          'a poison is no dead letter': ended.every((name) => kept.has(name)),
        },
      };
    });
  });
}
