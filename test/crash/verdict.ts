import type { Entry } from './journal.js';
import type { Ledger } from './sender.js';

/** What the journals and the sender's ledger say together. */
export interface Verdict {
  readonly handled: number;
  /** Acknowledged, and never handled. */
  readonly lost: readonly string[];
  /** Handled, and never sent. */
  readonly forged: readonly string[];
  /** Handled to the end more than once, because a worker died or lost its lock before that was recorded. */
  readonly again: readonly string[];
  /** Handled to the end more than once, and nothing of that kind explains it. */
  readonly repeated: readonly string[];
  /** Runs that were begun and never ended: killed inside, or failed. */
  readonly unended: number;
}

/** One run of the handlers for one event. */
interface Run {
  readonly pid: number;
  readonly name: string;
  isEnded: boolean;
  /** BullMQ has recorded it as done: from then on, nothing may run the event. */
  isRecorded: boolean;
  /** The worker was told that it had lost the event's lock. */
  isLost: boolean;
}

export function judge(
  entries: readonly Entry[],
  { sent, acknowledged }: Ledger,
  killed: ReadonlySet<number>,
): Verdict {
  const runs = runsOf(entries);
  const ended = new Map<string, Run[]>();
  for (const run of runs.filter(({ isEnded }) => isEnded)) {
    ended.set(run.name, [...(ended.get(run.name) ?? []), run]);
  }
  const several = [...ended].filter(([, ofOne]) => ofOne.length > 1);
  const isExplained = (ofOne: readonly Run[]) =>
    ofOne.filter(({ isRecorded }) => isRecorded).length <= 1 &&
    ofOne.every(({ isRecorded, isLost, pid }) => isRecorded || isLost || killed.has(pid));
  return {
    handled: ended.size,
    lost: [...acknowledged].filter((name) => !ended.has(name)),
    forged: [...new Set(runs.map(({ name }) => name))].filter((name) => !sent.has(name)),
    again: several.filter(([, ofOne]) => isExplained(ofOne)).map(([name]) => name),
    repeated: several.filter(([, ofOne]) => !isExplained(ofOne)).map(([name]) => name),
    unended: runs.filter(({ isEnded }) => !isEnded).length,
  };
}

/** By name and not by key: two jobs for one event would have two keys. */
function runsOf(entries: readonly Entry[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const { pid, key, step, name } of entries) {
    const id = `${pid} ${key}`;
    if (step === 'begun') {
      const run = { pid, name: name ?? '', isEnded: false, isRecorded: false, isLost: false };
      runs.push(run);
      latest.set(id, run);
    }
    const run = latest.get(id);
    if (run === undefined) continue;
    if (step === 'ended') run.isEnded = true;
    if (step === 'recorded') run.isRecorded = true;
    if (step === 'lost') run.isLost = true;
  }
  return runs;
}
