import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { root } from '../docs/all-blocks.js';
import { delivery, secret } from '../webhooks/deliveries.js';
import { commandOf, environment } from './examples.js';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Starts an example as its first lines say, and returns the address of its webhooks once it listens. */
async function start(example: string): Promise<string> {
  const port = await freePort();
  const file = commandOf(example).split(' ').at(-1) ?? '';
  const env = { ...environment, WORKSPACE_SECRET: secret, PORT: String(port) };
  const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd: root, env, stdio: 'ignore' });
  children.push(child);
  const url = `http://127.0.0.1:${port}/webhooks`;
  while (child.exitCode === null) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return url;
    await setTimeout(50);
  }
  throw new Error(`${example} ended with ${child.exitCode}`);
}

test.each(['webhooks-express.ts', 'webhooks-fastify.ts', 'webhooks-hono.ts'])(
  '%s listens where its first lines say, and answers',
  { timeout: 60_000 },
  async (example) => {
    const url = await start(example);
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(url, { method: 'POST', headers, body: delivery('lead_captured') });
    expect(status).toBe(200);
  },
);
