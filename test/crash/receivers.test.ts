/** The scenarios of the crash campaign in which receivers end as a deployment ends them. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { startProxy } from '../redis/proxy.js';
import { freePort } from '../support/free-port.js';
import { DURABLE, openRedis } from '../support/redis-server.js';
import { expectPromiseKept } from './conclude.js';
import { bodyOf } from './sender.js';
import { SECRET, Stage, untilResponding } from './stage.js';

/** With 25, this takes four minutes. */
const RESTARTS = Number(process.env.ROLLING_RESTARTS ?? 2);
const EVENTS_A_SECOND = 110;
/** Connections that carry one event every seven seconds: they are idle for longer than `drain` waits. */
const RARE_SENDERS = 14;
const RARE_PAUSE_MS = 7_000;
/** How long storing takes, in ms: a receiver that ends always has some deliveries. */
const STORING_MS = 15;

test('rolling restarts: a new receiver responds, then the old one ends, and no delivery fails', async () => {
  const { port } = await openRedis(...DURABLE);
  const storage = { redis: (await startProxy(port, STORING_MS)).url };
  const stage = await Stage.open({ storage, receivers: 1, worker: { failing: 0 } });
  const { ledger, receivers } = stage;
  // New connections go to the newest receiver; open ones stay where they are.
  let [newest = 0] = stage.ports;
  class ToNewest extends Agent {
    override createConnection = () => connect(newest, '127.0.0.1');
  }
  const failed: string[] = [];
  const deliver = (agent: Agent, name: string) =>
    new Promise<void>((resolve) => {
      ledger.sent.add(name);
      const fail = (why: unknown) => resolve(void failed.push(`${name}: ${String(why)}`));
      const sent = request({ agent, method: 'POST', host: '127.0.0.1' }, (response) => {
        if (response.statusCode !== 200) return fail(response.statusCode);
        ledger.acknowledged.add(name);
        response.resume().on('end', resolve);
      });
      sent.on('error', fail).end(bodyOf(name, SECRET, 200));
    });
  let isEnding = false;
  const deliverEvery = async (ms: number, sender: number) => {
    const agent = new ToNewest({ keepAlive: true });
    await sleep(Math.random() * ms);
    const deliveries: Promise<void>[] = [];
    for (let count = 0; !isEnding; count += 1) {
      deliveries.push(deliver(agent, `${sender}-${count}`));
      await sleep(ms);
    }
    await Promise.all(deliveries);
    agent.destroy();
  };
  const pauses = [1_000 / EVENTS_A_SECOND, ...Array<number>(RARE_SENDERS).fill(RARE_PAUSE_MS)];
  const senders = pauses.map(deliverEvery);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await sleep(3_000);
    const next = await freePort();
    await receivers.replaceOldest(stage.receiver(next), async () => {
      await untilResponding(next);
      newest = next;
    });
  }
  isEnding = true;
  await Promise.all(senders);
  await expectPromiseKept(stage, () => ({
    faults: { 'receivers replaced': RESTARTS },
    rules: { [`deliveries failed: ${failed.join(', ')}`]: failed.length === 0 },
  }));
});
