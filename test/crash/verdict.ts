import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger } from './sender.js';

/** The result of a campaign, from the journals and the sender's ledger. */
export interface Verdict {
  readonly handled: number;
  /** Acknowledged, and never handled. */
  readonly lost: readonly string[];
  /** Handled, and never sent. */
  readonly forged: readonly string[];
  /** Handled to the end more than once, because a worker died or lost its lock before the end was recorded. */
  readonly again: readonly string[];
  /** Handled to the end more than once without such a reason. */
  readonly repeated: readonly string[];
  /** Runs that were begun and never ended: killed inside, or failed. */
  readonly unended: number;
}

/** One run of the handlers for one event. */
interface Run {
  readonly pid: number;
  readonly key: string;
  readonly name: string;
  isEnded: boolean;
  /** BullMQ has recorded the event as done: from then on, nothing may run it. */
  isRecorded: boolean;
  /** The run has lost the lock of its event. */
  isLost: boolean;
}

export function judge(
  journals: string,
  { sent, acknowledged }: Ledger,
  killed: ReadonlySet<number>,
): Verdict {
  const entries = readJournals(journals);
  const runs = runsOf(entries);
  const stalled = new Set(entries.filter(({ step }) => step === 'stalled').map(({ key }) => key));
  const ended = new Map<string, Run[]>();
  for (const run of runs.filter(({ isEnded }) => isEnded)) {
    ended.set(run.name, [...(ended.get(run.name) ?? []), run]);
  }
  const several = [...ended].filter(([, ofOne]) => ofOne.length > 1);
  const isExplained = (ofOne: readonly Run[]) =>
    ofOne.filter(({ isRecorded }) => isRecorded).length <= 1 &&
    ofOne.every(
      ({ isRecorded, isLost, pid, key }) => isRecorded || isLost || killed.has(pid) || stalled.has(key),
    );
  return {
    handled: ended.size,
    lost: [...acknowledged].filter((name) => !ended.has(name)),
    forged: [...new Set(runs.map(({ name }) => name))].filter((name) => !sent.has(name)),
    again: several.filter(([, ofOne]) => isExplained(ofOne)).map(([name]) => name),
    repeated: several.filter(([, ofOne]) => !isExplained(ofOne)).map(([name]) => name),
    unended: runs.filter(({ isEnded }) => !isEnded).length,
  };
}

/** Runs have the name of their event, and not only its key: two jobs for one event would have two keys. */
function runsOf(entries: readonly Entry[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const { pid, key, step, name } of entries) {
    const id = `${pid} ${key}`;
    if (step === 'begun') {
      const run = { pid, key, name: name ?? '', isEnded: false, isRecorded: false, isLost: false };
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

/**
 * A step of a run: its handlers have begun or ended, BullMQ has recorded the event as done, or the run has lost its lock.
 * `stalled` is written by another worker: the event goes back to the queue, because the worker of a run has died or lost
 * its lock.
 */
type Step = 'begun' | 'ended' | 'recorded' | 'lost' | 'stalled';

/** One line of a journal. */
interface Entry {
  readonly at: number;
  /** The process that wrote it. */
  readonly pid: number;
  readonly step: Step;
  readonly key: string;
  /** The name of the event in its payload; with `begun` only. */
  readonly name: string | undefined;
}

/** Writes lines that outlive the process, however it ends. */
export function openJournal(directory: string): (step: Step, key: string, name?: string) => void {
  const file = openSync(join(directory, `${process.pid}-${Date.now()}`), 'a');
  return (step, key, name = '') => {
    writeSync(file, `${Date.now()} ${step} ${key} ${name}\n`);
  };
}

/** Reads every line of every worker, in the order of time. */
function readJournals(directory: string): Entry[] {
  return readdirSync(directory)
    .flatMap((file) =>
      readFileSync(join(directory, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parse(Number.parseInt(file, 10), line)),
    )
    .sort((one, other) => one.at - other.at);
}

function parse(pid: number, line: string): Entry {
  const [at, step, key = '', name] = line.split(' ');
  // Our own lines, written by `openJournal`.
  return { at: Number(at), pid, step: step as Step, key, name: name === '' ? undefined : name };
}
