import { durationText, timeOfDay } from '../testing/http/describe.js';
import type { PostedEvent } from '../testing/sending/post.js';
import { onOneLine } from '../utils/printable.js';
import type { Terminal } from './terminal.js';

/** One event of a command that runs: a line in aligned columns, and a hint below a failure. */
export interface EventLine {
  readonly at: number;
  /** The status or the outcome. */
  readonly mark: string | number;
  /** Milliseconds, if it took any. */
  readonly duration?: number | undefined;
  /** What it was. */
  readonly text: string;
  /** Why it failed, if it did, and what to do. */
  readonly failure?: string | undefined;
  /** More lines below it. */
  readonly more?: string;
}

/** Prints `14:03:59  200      12 ms  lead_captured`, in green; in red with a hint below if it failed. */
export function printEvent(terminal: Terminal, line: EventLine): void {
  const { at, mark, duration, text, failure, more = '' } = line;
  const took = duration === undefined ? '' : durationText(duration);
  const columns = [
    timeOfDay(at),
    String(mark).padEnd(MARK_WIDTH),
    took.padStart(DURATION_WIDTH),
    onOneLine(text),
  ];
  const hint = failure ? `\n${INDENT}${onOneLine(failure)}` : '';
  terminal.out(columns.join('  ') + hint + more, failure === undefined ? 'ok' : 'fail');
}

/** As wide as `timeout`, and as `999 ms`. */
const [MARK_WIDTH, DURATION_WIDTH] = [7, 6];

/** What is below a line begins under its outcome. */
const INDENT = ' '.repeat('14:03:59  '.length);

/** Prints a delivery. A failure is why it did not end as expected. */
export function printDelivery(terminal: Terminal, delivery: PostedEvent, failure?: string, more = ''): void {
  const { at, status, outcome, duration, type } = delivery;
  printEvent(terminal, { at, mark: status ?? outcome, duration, text: type, failure, more });
}
