import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { delivery } from '../webhooks/deliveries.js';

// A new process listens, then the old one gets SIGTERM. ROLLING_RESTARTS=25 is the long run, of four minutes.

const RESTARTS = Number(process.env.ROLLING_RESTARTS ?? 2);
const EVENTS_A_SECOND = 110;
/** Connections that carry one event every seven seconds: they are idle for longer than `drain` waits. */
const RARE_SENDERS = 14;
const RARE_PAUSE_MS = 7_000;

interface Running {
  readonly port: number;
  /** Sends SIGTERM. Resolves with the events that were stored, once the process has ended. */
  end(): Promise<readonly string[]>;
}

async function startProcess(): Promise<Running> {
  const file = fileURLToPath(new URL('rolling-process.ts', import.meta.url));
  const child: ChildProcess = fork(file, { execArgv: ['--import', 'tsx'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    end: async () => {
      const exited = once(child, 'exit');
      const reported = once(child, 'message');
      child.kill('SIGTERM');
      const [stored] = (await reported) as [string[]];
      expect(await exited).toEqual([0, null]);
      return stored;
    },
  };
}

test(`${RESTARTS} rolling restarts lose no event, over busy connections and over idle ones`, {
  timeout: 120_000 + RESTARTS * 20_000,
}, async () => {
  let current = await startProcess();
  let connections = 0;
  // New connections go to the newest process; open ones stay where they are.
  class ToCurrent extends Agent {
    override createConnection = () => {
      connections += 1;
      return connect(current.port, '127.0.0.1');
    };
  }
  const lost: string[] = [];
  const acknowledged: string[] = [];
  const send = (agent: Agent, message: string) =>
    new Promise<void>((resolve) => {
      const lose = (why: unknown) => resolve(void lost.push(`${message}: ${String(why)}`));
      const sent = request({ agent, method: 'POST', host: '127.0.0.1' }, (response) => {
        if (response.statusCode !== 200) return lose(response.statusCode);
        acknowledged.push(message);
        response.resume().on('end', resolve);
      });
      sent.on('error', lose).end(delivery('webhook_test', { message }));
    });
  let isEnding = false;
  const sendEvery = async (name: string, ms: number) => {
    const agent = new ToCurrent({ keepAlive: true });
    await sleep(Math.random() * ms);
    const sending: Promise<void>[] = [];
    for (let count = 0; !isEnding; count += 1) {
      sending.push(send(agent, `${name} ${count}`));
      await sleep(ms);
    }
    await Promise.all(sending);
    agent.destroy();
  };
  const senders = [
    sendEvery('busy', 1_000 / EVENTS_A_SECOND),
    ...Array.from({ length: RARE_SENDERS }, (_, index) => sendEvery(`rare ${index}`, RARE_PAUSE_MS)),
  ];
  const endings: Promise<readonly string[]>[] = [];
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await sleep(3_000);
    const old = current;
    current = await startProcess();
    endings.push(old.end());
    // The next restart meets connections that were idle for a while.
    await sleep(4_000);
  }
  await Promise.all(endings);
  isEnding = true;
  await Promise.all(senders);
  endings.push(current.end());
  const stored = new Set((await Promise.all(endings)).flat());
  expect(lost).toEqual([]);
  expect(acknowledged.filter((message) => !stored.has(message))).toEqual([]);
  if (RESTARTS > 2) console.log(`${acknowledged.length} events, ${connections} new connections, 0 lost`);
});
