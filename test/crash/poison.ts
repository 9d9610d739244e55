/** A worker that is started again whenever it ends, and what becomes of good events beside poison. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { stored } from '../inbox/fixture.js';
import { minimal } from '../webhooks/deliveries.js';
import { bundleProcess } from './bundle-process.js';
import { openInbox, type Storage } from './settings.js';

const SCRIPT = await bundleProcess('poison-process.ts');
const GOOD = 100;

/** Makes an event with a name in its payload, which says what its handler does. */
export const event = (name: string) => stored({ payload: { ...minimal.lead_captured, agentId: name } });

/** Starts a process whenever the last one has ended, until the test ends. */
export function supervise(storage: Storage, ...args: readonly string[]): { readonly ends: () => number } {
  let [ends, isOver] = [0, false];
  let child: ChildProcess;
  const start = () => {
    child = spawn(process.execPath, [...args, SCRIPT, JSON.stringify(storage)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('exit', () => {
      if (isOver) return;
      ends += 1;
      start();
    });
  };
  start();
  onTestFinished(async () => {
    isOver = true;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return { ends: () => ends };
}

/** Stores a hundred good events, one that ends its worker and one that blocks it: all good ones must be handled. */
export async function expectGoodEventsHandled(storage: Storage): Promise<void> {
  const inbox = await openInbox({ storage });
  onTestFinished(() => inbox.close());
  const names = Array.from({ length: GOOD }, (_, index) => `good-${index}`);
  names.splice(20, 0, 'exits');
  names.splice(60, 0, 'blocks');
  for (const name of names) await inbox.store(event(name));
  const { ends } = supervise(storage);
  await inbox.idle();
  const dead = (await inbox.deadLetters.list()).map(({ webhook }) => webhook.payload.agentId);
  console.log(`poison: the worker has ended ${ends()} times, dead letters: ${dead.join(', ')}`);
  expect(dead.filter((name) => String(name).startsWith('good'))).toEqual([]);
  expect(dead).toContain('exits');
}
