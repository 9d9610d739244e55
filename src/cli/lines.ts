import { durationText, timeOfDay } from '../testing/http/describe.js';
import type { PostedEvent } from '../testing/sending/post.js';
import { onOneLine } from '../utils/printable.js';
import type { Terminal } from './terminal.js';

/** The option of the commands that print events. */
export const JSON_OPTION = { type: 'boolean', default: false } as const;

/** One event of a command that runs: a line in aligned columns with a hint below a failure, or JSON. */
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
  /** It is under way. */
  readonly isOpen?: boolean;
  /** More lines below it. */
  readonly more?: string | undefined;
  /** The same as fields, for `--json`. */
  readonly fields: object;
}

/** Prints `14:03:59  200      12 ms  lead_captured`, in green; in red with a hint below if it failed. */
export function printEvent(terminal: Terminal, isJson: boolean, line: EventLine): void {
  const { at, mark, duration, text, failure, isOpen, more = '', fields } = line;
  if (isJson) return printJson(terminal, { at, ...resultOf(mark), duration, ...fields, failure });
  const took = duration === undefined ? '' : durationText(duration);
  const columns = [
    timeOfDay(at),
    String(mark).padEnd(MARK_WIDTH),
    took.padStart(DURATION_WIDTH),
    onOneLine(text),
  ];
  const hint = failure ? `\n${INDENT}${onOneLine(failure)}` : '';
  const tone = failure === undefined ? 'ok' : 'fail';
  terminal.out(columns.join('  ') + hint + more, isOpen ? undefined : tone);
}

/** Prints one line of JSON. Fields that are undefined are left out. */
export function printJson(terminal: Terminal, value: object): void {
  terminal.out(JSON.stringify(value));
}

function resultOf(mark: string | number): object {
  return /^\d+$/.test(String(mark)) ? { status: Number(mark) } : { outcome: mark };
}

/** As wide as `timeout`, and as `999 ms`. */
const [MARK_WIDTH, DURATION_WIDTH] = [7, 6];

/** What is below a line begins under its outcome. */
const INDENT = ' '.repeat('14:03:59  '.length);

/** Prints a delivery. A failure is why it did not end as expected. */
export function printDelivery(
  terminal: Terminal,
  isJson: boolean,
  delivery: PostedEvent,
  failure?: string,
  about: Partial<Pick<EventLine, 'more' | 'fields'>> = {},
): void {
  const { at, status, outcome, duration, type, address } = delivery;
  const fields = { type, address, ...about.fields };
  const mark = status ?? outcome;
  printEvent(terminal, isJson, { at, mark, duration, text: type, failure, more: about.more, fields });
}

/** Prints that a delivery begins: its receiver may take a minute. */
export function printPosting(terminal: Terminal, isJson: boolean, type: string, address: string): void {
  const fields = { type, address };
  const text = `${type}  ${address}`;
  printEvent(terminal, isJson, { at: Date.now(), mark: 'sending', text, isOpen: true, fields });
}
