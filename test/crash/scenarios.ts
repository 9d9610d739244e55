/** The scenarios that every storage plays: deploys, clocks that are set, and events that end or block their worker. */
import { expectPromiseKept } from './conclude.js';
import { type Storage, TYPES } from './settings.js';
import { EVENTS, IS_SHORT, Stage, type StageOptions } from './stage.js';

/** Replaces workers by workers with a handler for one more type. */
export async function playDeploy(storage: Storage): Promise<void> {
  const stage = await Stage.open({ storage, worker: { types: [TYPES[0]] } });
  const { workers } = stage;
  let replaced = 0;
  const replaceNext = async () => {
    if (replaced === workers.size) return;
    await workers.replace(replaced, stage.worker());
    replaced += 1;
  };
  await stage.send(EVENTS / 5, replaceNext);
  while (replaced < workers.size) await replaceNext();
  await expectPromiseKept(stage, () => ({ faults: { 'workers replaced': replaced } }));
}

const MONTH = 30 * 86_400_000;

/** Sets the clocks of all processes ahead and back by up to a month, and with `setClock` that of the server. */
export async function playClocks(
  storage: Storage,
  options: Partial<StageOptions> = {},
  setClock = async (_ms: number): Promise<unknown> => undefined,
): Promise<void> {
  const stage = await Stage.open({ storage, clock: MONTH, senders: 32, ...options });
  const { workers, random } = stage;
  let steps = 0;
  await stage.send(EVENTS / 10, async () => {
    workers.kill(Math.floor(random() * workers.size));
    steps += 1;
    await setClock(steps % 3 === 0 ? 0 : (random() * 2 - 1) * MONTH);
  });
  await setClock(0);
  await expectPromiseKept(stage, () => ({
    faults: { 'processes killed': workers.killed.size },
    duplicatesRun: 'a clock jumped by more than the retention, in which duplicates are recognised',
  }));
}

/** Some events end their worker, and some block it: all others must be handled. */
export async function playPoison(storage: Storage): Promise<void> {
  // The second one in the first third: so it is there in a short and in a full campaign.
  const [poison, block, ms] = [3 / EVENTS, 4 / EVENTS, IS_SHORT ? 6_000 : 90_000];
  // With fewer stalls, chance alone could bring a good event together with a poison each time: delays are random.
  const options = { maxStalls: 4, concurrency: 50 };
  const worker = { poison, blocking: { share: block, ms }, options };
  const stage = await Stage.open({ storage, worker, senders: 32 });
  await stage.send(EVENTS, async () => undefined);
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
}
