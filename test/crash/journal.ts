import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A step of a run. */
export type Step =
  /** The handlers have started. */
  | 'started'
  /** The handlers have succeeded. */
  | 'ended'
  /** BullMQ has recorded the event as completed. */
  | 'recorded'
  /** BullMQ has recorded the run as failed. */
  | 'failed'
  /** The run has lost its lock. */
  | 'lost'
  /** Another worker has put the event back into the queue: the worker of the run died or lost its lock. */
  | 'stalled'
  /** The handlers have blocked the event loop for longer than the locks last. */
  | 'blocked'
  /** Not a step of a run, but an error of Redis, with its code in place of the key. */
  | 'refused';

/** One line of a journal. */
export interface Entry {
  readonly at: number;
  /** The process that wrote it. */
  readonly pid: number;
  readonly step: Step;
  readonly key: string;
  /** The name of the event in its payload; only with `started`. */
  readonly name?: string;
}

/** The right time, in a process whose clock is set too. */
const now = Date.now;

/** Writes lines that outlive the process, however it ends. */
export function openJournal(directory: string): (step: Step, key: string, name?: string) => void {
  const file = openSync(join(directory, `${process.pid}-${Date.now()}`), 'a');
  return (step, key, name) => {
    writeSync(file, `${JSON.stringify({ at: now(), pid: process.pid, step, key, name })}\n`);
  };
}

/** Reads the lines of all workers, ordered by time. */
export function readJournals(directory: string): Entry[] {
  const texts = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  // Our own lines, written by `openJournal`.
  return lines.map((line) => JSON.parse(line) as Entry).sort((one, other) => one.at - other.at);
}
