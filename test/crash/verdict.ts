import { type Entry, readJournals, type Step } from './journal.js';
import type { Ledger } from './sender.js';

/** The result of a scenario, from the journals and the sender's ledger. */
export interface Verdict {
  readonly handled: number;
  /** Acknowledged, and neither handled nor kept as a dead letter. */
  readonly lost: readonly string[];
  /** Handled, and never sent. */
  readonly forged: readonly string[];
  /** The number of events that were handled to the end more than once, by reason. */
  readonly again: ReadonlyMap<string, number>;
  /** Handled to the end more than once without a reason. */
  readonly repeated: readonly string[];
  /** The reason of each dead letter, by the name of its event. */
  readonly kept: ReadonlyMap<string, string>;
  /** The number of lines of a kind in the journals. */
  count(step: Step): number;
  /** The deliveries of each event that was lost or repeated without a reason, and the steps of its runs. */
  readonly traces: readonly string[];
}

/** What the verdict is based on. */
export interface Evidence {
  readonly journals: string;
  readonly ledger: Ledger;
  /** The ids of processes that were killed. */
  readonly killed: ReadonlySet<number>;
  /** The reason of each dead letter, by the name of its event. */
  readonly kept: ReadonlyMap<string, string>;
  /** The times of failovers, at which Redis lost what it had not replicated yet. */
  readonly forgotten: readonly number[];
}

/** Time before a failover whose writes may be lost, in ms: the lag, and that of a stale primary. */
const LOST_WRITES_MS = 10_000;
/** Time from when a worker takes an event to the start of its handlers, in ms, on a busy machine. */
const START_DELAY_MS = 2_000;

/** One run of the handlers for one event. */
interface Run {
  readonly pid: number;
  readonly key: string;
  readonly name: string;
  readonly startedAt: number;
  endedAt?: number;
  /** When the event was known to be recorded as completed: from then on, nothing may begin to run it. */
  recordedAt?: number;
  /** The run counted as failed, because it timed out or its worker closed. */
  hasFailed?: boolean;
  /** The run has lost the lock of its event. */
  isLost?: boolean;
}

export function judge({ journals, ledger, killed, kept, forgotten }: Evidence): Verdict {
  const entries = readJournals(journals);
  const runs = runsOf(entries);
  const stalled = new Set(entries.filter(({ step }) => step === 'stalled').map(({ key }) => key));
  // Another worker takes its events over, and may die before it has said so.
  const blocked = new Set(entries.filter(({ step }) => step === 'blocked').map(({ pid }) => pid));
  const ended = groupByName(runs);
  const reasonOf = (run: Run, others: readonly Run[]) => {
    const {
      pid,
      key,
      recordedAt = Number.POSITIVE_INFINITY,
      hasFailed,
      isLost,
      startedAt,
      endedAt = 0,
    } = run;
    const forgets = (at: number) => startedAt - START_DELAY_MS <= at && at < endedAt + LOST_WRITES_MS;
    // The start of a run that goes on during a failover may be lost: the event is taken again.
    if (forgotten.some(forgets)) return 'the failover lost the run';
    // A success counts although another run has begun: that one goes on. One whose worker was blocked, or that has
    // lost its lock, may begin later, because it had taken the event before.
    const isLate = (other: Run) => other.isLost === true || blocked.has(other.pid);
    if (others.some((other) => other.startedAt > recordedAt && !isLate(other))) return undefined;
    if (hasFailed) return 'it timed out';
    if (isLost || stalled.has(key)) return killed.has(pid) ? 'the worker was killed' : 'the lock was lost';
    if (killed.has(pid)) return 'the worker was killed';
    return blocked.has(pid) ? 'the worker was blocked' : undefined;
  };
  const again = new Map<string, number>();
  const repeated: string[] = [];
  for (const [name, ofOne] of ended) {
    if (ofOne.length === 1) continue;
    // The last of which an end was recorded is the run that counts.
    const counting = ofOne.filter(({ recordedAt }) => recordedAt !== undefined).at(-1);
    const reasons = ofOne.filter((run) => run !== counting).map((run) => reasonOf(run, ofOne));
    const [reason] = reasons;
    if (reason === undefined || reasons.includes(undefined)) repeated.push(name);
    else again.set(reason, (again.get(reason) ?? 0) + 1);
  }
  const lost = [...ledger.acknowledged].filter((name) => !ended.has(name) && !kept.has(name));
  return {
    handled: ended.size,
    lost,
    forged: [...new Set(runs.map(({ name }) => name))].filter((name) => !ledger.sent.has(name)),
    again,
    repeated,
    kept,
    count: (step) => entries.filter((entry) => entry.step === step).length,
    traces: [...lost, ...repeated].map((name) => trace(name, entries, ledger, forgotten)),
  };
}

function trace(
  name: string,
  entries: readonly Entry[],
  ledger: Ledger,
  forgotten: readonly number[],
): string {
  const keys = new Set(entries.filter((entry) => entry.name === name).map(({ key }) => key));
  const steps = entries.filter(({ key }) => keys.has(key));
  return [
    `${name}, failovers at ${forgotten.join(', ') || 'no time'}`,
    ...(ledger.deliveries.get(name) ?? []).map((delivery) => `delivered ${delivery}`),
    ...steps.map(({ at, pid, step, key }) => `${at} process ${pid} ${step} ${key}`),
  ].join('\n  ');
}

/** The runs that have ended, by the name of their event, in the order of their ends. */
function groupByName(runs: readonly Run[]): Map<string, Run[]> {
  const groups = new Map<string, Run[]>();
  const ended = runs.filter(({ endedAt }) => endedAt !== undefined);
  for (const run of ended.sort((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0))) {
    groups.set(run.name, [...(groups.get(run.name) ?? []), run]);
  }
  return groups;
}

/** Runs have the name of their event, and not only its key: two jobs for one event would have two keys. */
function runsOf(entries: readonly Entry[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const { at, pid, key, step, name } of entries) {
    const id = `${pid} ${key}`;
    if (step === 'started') {
      const run = { pid, key, name: name ?? '', startedAt: at };
      runs.push(run);
      latest.set(id, run);
    }
    const run = latest.get(id);
    if (run === undefined) continue;
    if (step === 'ended') run.endedAt = at;
    if (step === 'recorded') run.recordedAt = at;
    if (step === 'failed') run.hasFailed = true;
    if (step === 'lost') run.isLost = true;
  }
  return runs;
}
