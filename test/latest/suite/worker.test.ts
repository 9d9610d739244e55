import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { fixtures } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedis } from '../../support/redis-server.js';

const file = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Starts a worker in a process of its own. Returns the process and the lines that it prints. */
function startWorker(url: string, env: Readonly<Record<string, string>> = {}) {
  const worker = spawn(process.execPath, [file], {
    env: { ...process.env, ...env, REDIS_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface(worker.stdout).on('line', (line) => lines.push(line));
  return { worker, lines };
}

async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const exit = once(worker, 'exit');
  worker.kill(signal);
  return exit;
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

async function startInbox() {
  const redis = await startRedis();
  const inbox = createBullMQInbox({ connection: redis.url, queueName: 'killed', logLevel: 'off' });
  onTestFinished(async () => {
    await inbox.close();
    await redis.stop();
  });
  return { redis, inbox };
}

test('an event whose worker is killed is handled by another one, which ends after SIGTERM', async () => {
  const { redis, inbox } = await startInbox();
  const payload = { ...fixtures.event('lead_captured').payload };
  await inbox.store({
    version: 1,
    key: 'k',
    type: 'lead_captured',
    payload,
    deliveryId: 'd',
    receivedAt: Date.now(),
  });
  const killed = startWorker(redis.url, { HANGS: 'true' });
  await eventually(() => expect(killed.lines).toContain('began'));
  await end(killed.worker, 'SIGKILL');
  const other = startWorker(redis.url);
  await eventually(() => expect(other.lines).toContain('ended'));
  expect(await end(other.worker, 'SIGTERM')).toEqual([0, null]);
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
});

test('a worker ends after SIGTERM though Redis has gone', async () => {
  const { redis } = await startInbox();
  const { worker, lines } = startWorker(redis.url);
  await eventually(() => expect(lines).toContain('ready'));
  await redis.stop();
  expect(await end(worker, 'SIGTERM')).toEqual([0, null]);
});
