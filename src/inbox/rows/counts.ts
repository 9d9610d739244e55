import type { InboxCounts } from '../health.js';

/** The number of events of a type in a state. */
export interface Count {
  readonly state: 'waiting' | 'retrying' | 'running' | 'dead';
  readonly type: string;
  readonly count: number;
  /** When the oldest of them was received. */
  readonly oldest: number;
}

/**
 * Summarizes what an engine of rows has counted.
 *
 * @param workers - Those of this process.
 */
export function summarize(
  counts: readonly Count[],
  workers: Iterable<{ handles(type: string): boolean }>,
): Omit<InboxCounts, 'workers'> {
  const sum = (some: readonly Count[]) => some.reduce((total, { count }) => total + count, 0);
  const inState = (...states: Count['state'][]) => counts.filter(({ state }) => states.includes(state));
  const waiting = inState('waiting', 'retrying');
  const all = [...workers];
  const unhandled = waiting.filter(({ type }) => !all.some((worker) => worker.handles(type)));
  const now = Date.now();
  return {
    waiting: sum(inState('waiting')),
    active: sum(inState('running')),
    retrying: sum(inState('retrying')),
    unhandled: all.length === 0 ? undefined : sum(unhandled),
    deadLetters: sum(inState('dead')),
    oldestMs: Math.max(now - Math.min(now, ...waiting.map(({ oldest }) => oldest)), 0),
  };
}
