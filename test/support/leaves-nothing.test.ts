import { openSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { keepsNothing, LEEWAY, leavesNothing } from './leaves-nothing.js';

const TIMER = /^Timeout of 9000 ms at .*leaves-nothing.test.ts/;
const { signal } = new AbortController();
const listener = () => 0;
process.on('exit', listener);
const listening = () => {
  const server = createServer();
  return new Promise<typeof server>((resolve) => void server.listen(0, () => resolve(server)));
};

test.each<[what: string, act: () => unknown, named: RegExp]>([
  ['a timer', () => setTimeout(() => 0, 9_000), TIMER],
  ["an unref'd timer", () => setTimeout(() => 0, 9_000).unref(), TIMER],
  ['an interval', () => setInterval(() => 0, 9_000).unref(), TIMER],
  ['a server', listening, /^TCPSERVERWRAP at .*leaves-nothing.test.ts/],
  ['a file', () => openSync('package.json', 'r'), /package.json is open$/],
  ['a listener', () => process.on('SIGUSR2', () => 0), /^process SIGUSR2: .* was added$/],
  ['one of a signal', () => signal.addEventListener('abort', () => 0), /^target 1 abort: .* was added$/],
  ['a listener fewer', () => process.off('exit', listener), /^process exit: .* was removed$/],
])('%s that is left is named', async (_, act, named) => {
  const { ms } = LEEWAY;
  LEEWAY.ms = 50;
  onTestFinished(() => void (LEEWAY.ms = ms));
  const actual = expect.arrayContaining([expect.stringMatching(named)]);
  await expect(leavesNothing(act, signal)).rejects.toMatchObject({ actual });
});

test('nothing is left by what clears up after itself', async () => {
  await leavesNothing(async () => {
    clearTimeout(setTimeout(() => 0, 60_000));
    clearInterval(setInterval(() => 0, 60_000));
    process.on('exit', listener).off('exit', listener);
    const server = await listening();
    await new Promise((resolve) => server.close(resolve));
  });
});

test('what grows with each time is noticed', async () => {
  const kept: unknown[] = [];
  await keepsNothing(() => Promise.resolve({}));
  await expect(keepsNothing(() => kept.push(() => 0))).rejects.toThrow('objects that are left');
});
