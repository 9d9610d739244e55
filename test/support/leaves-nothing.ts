import { createHook } from 'node:async_hooks';
import { type EventEmitter, getEventListeners } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { queryObjects } from 'node:v8';
import { expect } from 'vitest';

/** What keeps a process alive or busy, by the names of `async_hooks`. */
const TIMERS = new Set(['Timeout', 'Immediate']);
const HANDLES = new Set(
  'TCPWRAP TCPSERVERWRAP PIPEWRAP PIPESERVERWRAP UDPWRAP PROCESSWRAP SIGNALWRAP FSEVENTWRAP STATWATCHER FILEHANDLE WORKER'.split(
    ' ',
  ),
);
/** How long connections may take to close, and timers of libraries to be cleared, however busy the machine is. */
export const LEEWAY = { ms: 5_000 };

interface Made {
  readonly what: string;
  readonly stack: Error;
}

/**
 * Runs an action, and fails if it leaves something behind. Names that, and the code that made it.
 *
 * Counts timers, also unref'd ones (but no fake ones), connections, servers, child processes, open files, and the
 * listeners of `process` and of the given emitters and signals. Our own timers must be cleared when the action has
 * ended; what is a library's, or open, within five seconds.
 */
export async function leavesNothing(
  act: () => unknown,
  ...targets: readonly (EventEmitter | EventTarget)[]
): Promise<void> {
  const made = new Map<number, Made>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (!TIMERS.has(type) && !HANDLES.has(type)) return;
      const { _idleTimeout: ms } = resource as { readonly _idleTimeout?: number };
      made.set(id, { what: ms === undefined ? type : `${type} of ${ms} ms`, stack: traced() });
    },
    destroy: (id) => void made.delete(id),
  });
  const [files, listeners] = [openFiles(), listenersOf([process, ...targets])];
  hook.enable();
  try {
    await act();
    // Hooks hear of what is destroyed a turn later.
    for (let turns = 0; turns < 3; turns += 1) await turn();
    const timers = [...made.values()].filter(
      ({ what, stack }) => what.startsWith('Timeout') && isOurs(stack),
    );
    const now = listenersOf([process, ...targets]);
    const left = () => [
      ...[...made.values()].filter(({ stack }) => isSeen(stack)).map(describe),
      ...exceeding(openFiles(), files).map((path) => `${path} is open`),
    ];
    const until = performance.now() + LEEWAY.ms;
    while (timers.length === 0 && left().length > 0 && performance.now() < until) await sleep(10);
    expect([
      ...(timers.length > 0 ? timers.map(describe) : left()),
      ...exceeding(now, listeners).map((listener) => `${listener} was added`),
      ...exceeding(listeners, now).map((listener) => `${listener} was removed`),
    ]).toEqual([]);
  } finally {
    hook.disable();
  }
}

/** Runs an action many times, and fails if each time an object stays in memory. */
export async function keepsNothing(act: () => unknown, times = 300): Promise<void> {
  const counts: number[] = [];
  // What is made once is made in the first round.
  for (let round = 0; round < 3; round += 1) {
    for (let time = 0; time < times; time += 1) await act();
    await turn();
    // It collects garbage. Functions, promises and lists are objects too.
    counts.push(queryObjects(Object, { format: 'count' }) as unknown as number);
  }
  const growth = counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
  expect(Math.min(...growth), `objects that are left by ${times} times`).toBeLessThan(times * 0.9);
}

function traced(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 30;
  const error = new Error('made');
  Error.stackTraceLimit = limit;
  return error;
}

const HERE = fileURLToPath(import.meta.url);

/** The frames of a stack outside of Node, without the hook's own. */
function framesOf({ stack = '' }: Error): string[] {
  const frames = stack
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
  return frames.filter((line) => line.includes('/') && !line.includes('node:')).slice(2);
}

/** Whether it is not made by this helper, or by Vitest. */
function isSeen(stack: Error): boolean {
  const [maker = HERE] = framesOf(stack);
  return !maker.includes(HERE) && !/node_modules\/(vitest|@vitest|vite|birpc)\//.test(maker);
}

/** Whether our code has started a timer itself: Node has some of its own, such as one for the `Date` of responses. */
function isOurs(stack: Error): boolean {
  const [maker = HERE] = framesOf(stack);
  const lines = stack.stack?.split('\n') ?? [];
  const called = lines[lines.findIndex((line) => line.includes(maker)) - 1] ?? '';
  return isSeen(stack) && !maker.includes('node_modules') && /\(node:(internal\/)?timers:/.test(called);
}

function describe({ what, stack }: Made): string {
  return `${what} ${framesOf(stack).slice(0, 4).join(' ')}`;
}

/** The files that the process has open, where the system shows them. */
function openFiles(): string[] {
  const descriptors = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : [];
  return descriptors.map(pathOf).filter((path) => path.startsWith('/'));
}

/** The descriptor of the listing itself is closed by now. */
function pathOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

function listenersOf(targets: readonly (EventEmitter | EventTarget)[]): string[] {
  return targets.flatMap((target, index) => {
    const names =
      target instanceof EventTarget ? ['abort', 'close', 'error', 'message'] : target.eventNames();
    return names.flatMap((name) =>
      getEventListeners(target as EventTarget, name as string).map(
        (listener) =>
          `${index === 0 ? 'process' : `target ${index}`} ${String(name)}: ${String(listener).slice(0, 200)}`,
      ),
    );
  });
}

/** The items of a list that another list has less often. */
function exceeding(items: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return items.filter((item) => {
    const at = rest.indexOf(item);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}
