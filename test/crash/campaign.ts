/**
 * The crash campaign: a sender, receivers and workers as real processes, and a Redis that keeps what it acknowledges.
 * While tens of thousands of events are sent, processes are killed, the network is cut and Redis is killed and started
 * again, at random. Then every event that was answered 200 must have been handled.
 *
 * `npm run test:crash -- --events 20000 --seed 1 --persistence always`; weaker persistence (`everysec`, `none`) reports what it
 * loses and fails for everything else.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../../scripts/free-port.js';
import { DURABLE, startRedis } from '../../scripts/redis-server.js';
import { randomNumbers } from '../../src/testing/random.js';
import { startProxy } from './cut-proxy.js';
import { bundleProcess, Fleet } from './fleet.js';
import { Ledger, sendAll } from './sender.js';
import { openInbox } from './settings.js';
import { judge } from './verdict.js';

/** The ways in which Redis keeps what it has acknowledged. */
const PERSISTENCE: Readonly<Record<string, readonly string[]>> = {
  always: DURABLE,
  everysec: [...DURABLE, '--appendfsync', 'everysec'],
  none: ['--save', '', '--appendonly', 'no'],
};
const RECEIVERS = 2;
const WORKERS = 3;
/** Events between two faults, on average. */
const GAP = 150;
/** Milliseconds until what is left after the last crash must be handled. */
const DRAIN = 90_000;

const options = readOptions();
const random = randomNumbers(options.seed);
const secret = 'campaign-workspace-secret';
const crashes = { cuts: 0, redis: 0 };
console.log(`${options.events} events, seed ${options.seed}, persistence ${options.persistence}`);

const began = Date.now();
const journals = mkdtempSync(join(tmpdir(), 'journals-'));
const script = await bundleProcess();
const redis = await startRedis(PERSISTENCE[options.persistence]);
const proxy = await startProxy(redis.port);
const ports = await Promise.all(Array.from({ length: RECEIVERS }, freePort));
const common = { redisPort: proxy.port, secret, journals };
const receivers = new Fleet(
  script,
  ports.map((port) => ({ ...common, port })),
);
const workers = new Fleet(
  script,
  Array.from({ length: WORKERS }, () => common),
);

await Promise.all(ports.map(answering));
const urls = ports.map((port) => `http://127.0.0.1:${port}/`);
const ledger = new Ledger();
const sending = sendAll(
  { events: options.events, secret, urls, random: randomNumbers(options.seed + 1) },
  ledger,
);
await crashWhile(sending);
const sentAfter = Date.now() - began;

const inbox = openInbox(redis.port);
const isDrained = await drain();
const reasons = new Set((await inbox.deadLetters.list()).map(({ reason }) => reason));
const replayed = await inbox.deadLetters.replayAll();
const isEmpty = isDrained && (replayed === 0 || (await drain()));
const health = await inbox.health();
await inbox.close();
await Promise.all([receivers.stop(), workers.stop()]);
proxy.close();
await redis.stop();

const verdict = judge(journals, ledger, workers.killed);
rmSync(journals, { recursive: true, force: true });
report();
// What may still hold this process, such as a connection to a receiver that was killed, is not what is judged.
process.exit();

/** Breaks something every 150 events or so, and Redis itself every 1 500. Resolves when all is sent. */
async function crashWhile(sent: Promise<void>): Promise<void> {
  for (let due = GAP; !ledger.isComplete; due += GAP * (0.5 + random())) {
    while (ledger.sent.size < due && !ledger.isComplete) await sleep(20);
    await crashSomething();
  }
  await sent;
}

async function crashSomething(): Promise<void> {
  const chance = random();
  if (chance < 0.4) workers.kill(Math.floor(random() * workers.size));
  else if (chance < 0.6) receivers.kill(Math.floor(random() * receivers.size));
  else if (chance < 0.9) {
    proxy.cut();
    crashes.cuts += 1;
  } else {
    crashes.redis += 1;
    await redis.crash(random() * 500);
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '20000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      persistence: { type: 'string', default: 'always' },
    },
  });
  const { persistence } = values;
  if (!(persistence in PERSISTENCE))
    throw new Error(`--persistence is one of ${Object.keys(PERSISTENCE).join(', ')}`);
  return { events: Number(values.events), seed: Number(values.seed), persistence };
}

/** Waits until no event is waiting, running or to be tried again. */
async function drain(): Promise<boolean> {
  const until = Date.now() + DRAIN;
  while (Date.now() < until) {
    const { ready, depth } = await inbox.health();
    if (ready && depth === 0) return true;
    await sleep(250);
  }
  return false;
}

async function answering(port: number): Promise<void> {
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch {
      await sleep(50);
    }
  }
}

function report(): void {
  const { handled, lost, forged, repeated, again, unended } = verdict;
  const outcomes = [...ledger.outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(', ');
  console.log(
    `sent within ${(sentAfter / 1_000).toFixed(1)} s, all within ${((Date.now() - began) / 1_000).toFixed(1)} s`,
  );
  console.log(
    `killed: ${workers.killed.size} workers, ${receivers.killed.size} receivers, ${crashes.redis} times Redis; network cut ${crashes.cuts} times`,
  );
  console.log(`deliveries by answer: ${outcomes}`);
  console.log(
    `events sent ${ledger.sent.size}, acknowledged ${ledger.acknowledged.size}, handled ${handled}`,
  );
  console.log(`runs that did not end: ${unended} (killed inside a handler, or failed and tried again)`);
  console.log(
    `handled again because a worker died or lost its lock before the end was recorded: ${again.length}`,
  );
  console.log(`dead letters replayed: ${replayed}`, ...reasons);
  console.log(`acknowledged and lost: ${lost.length}`);
  console.log(`handled twice without such a reason: ${repeated.length}`);
  console.log(`forged and handled: ${forged.length}, forged and answered 200: ${ledger.forgedAccepted}`);
  const mayLose = options.persistence !== 'always';
  const isRight =
    (mayLose || lost.length === 0) &&
    (mayLose || repeated.length === 0) &&
    forged.length === 0 &&
    ledger.forgedAccepted === 0 &&
    ledger.acknowledged.size > options.events / 2 &&
    isEmpty;
  if (!isEmpty) console.log(`not drained: ${JSON.stringify(health)}`);
  if (lost.length + repeated.length > 0)
    console.log(`for example: ${[...lost, ...repeated].slice(0, 5).join(', ')}`);
  console.log(isRight ? 'The promise holds.' : 'The promise is broken.');
  process.exitCode = isRight ? 0 : 1;
}
