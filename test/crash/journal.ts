import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A step of a run: its handlers have begun or ended; BullMQ has recorded the event as done, or the run as failed; the run has
 * lost its lock. `stalled` is written by another worker: the event goes back to the queue, because the worker of a run has
 * died or lost its lock. `unhandled`: the worker has no handler, and gives the event back. `refused` is no step of a run, but an error of Redis, with its code in place of the key.
 */
export type Step = 'begun' | 'ended' | 'recorded' | 'failed' | 'lost' | 'stalled' | 'unhandled' | 'refused';

/** One line of a journal. */
export interface Entry {
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
export function readJournals(directory: string): Entry[] {
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
