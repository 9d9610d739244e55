import type { InboxCounts } from '../health.js';
import { decodeType } from './taken.js';

/** The number of events of a type in a state. */
export interface Count {
  readonly state: 'waiting' | 'retrying' | 'running' | 'dead';
  /** As its column has it. */
  readonly type: string;
  readonly count: number;
  /** When the oldest of them was received. */
  readonly oldest: number;
}

/**
 * Summarizes what an engine of rows has counted.
 *
 * @param handles - Whether a worker of this process handles a type; undefined without a worker.
 */
export function summarize(
  counts: readonly Count[],
  handles: ((type: string) => boolean) | undefined,
): Omit<InboxCounts, 'workers'> {
  const sum = (some: readonly Count[]) => some.reduce((total, { count }) => total + count, 0);
  const inState = (...states: Count['state'][]) => counts.filter(({ state }) => states.includes(state));
  const waiting = inState('waiting', 'retrying');
  const now = Date.now();
  return {
    waiting: sum(inState('waiting')),
    active: sum(inState('running')),
    retrying: sum(inState('retrying')),
    unhandled: handles && sum(waiting.filter(({ type }) => !handles(decodeType(type)))),
    deadLetters: sum(inState('dead')),
    oldestMs: Math.max(now - Math.min(now, ...waiting.map(({ oldest }) => oldest)), 0),
  };
}
