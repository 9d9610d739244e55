import { durationText, failureOfDelivery, SENDING, timeOfDay } from '../testing/http/rows.js';
import { type PostResult, postEvent } from '../testing/sending/post.js';
import type { RecordedWebhook } from '../testing/sending/recording.js';
import { onOneLine } from '../utils/printable.js';
import type { Terminal } from './terminal.js';

/** The option of the commands that print events. */
export const JSON_OPTION = { type: 'boolean', default: false } as const;

/** One event of a command: a line in columns with a hint below a failure, or a line of JSON. */
export interface EventLine {
  readonly at: number;
  /** The status or the outcome. */
  readonly mark: string | number;
  /** Milliseconds, if it took any. */
  readonly duration?: number | undefined;
  readonly text: string;
  /** Why it failed, if it did, and how to fix it. */
  readonly failure?: string | undefined;
  /** What else there is to say. */
  readonly note?: string | undefined;
  /** More lines below it. */
  readonly more?: string | undefined;
  /** The text as fields, for `--json`. */
  readonly fields: object;
}

/** Prints `14:03:59  200      12 ms  lead_captured`. A failure has a hint below. */
export function printEvent(terminal: Terminal, isJson: boolean, line: EventLine): void {
  const { at, mark, duration, text, failure, note, more = '', fields } = line;
  if (isJson) {
    const result = /^\d+$/.test(String(mark)) ? { status: Number(mark) } : { outcome: mark };
    return terminal.out(JSON.stringify({ at, ...result, duration, ...fields, failure }));
  }
  const took = duration === undefined ? '' : durationText(duration);
  // As wide as `sending`, and as `999 ms`.
  const columns = [timeOfDay(at), String(mark).padEnd(7), took.padStart(6), onOneLine(text)];
  // The hint begins below the outcome.
  const said = failure ?? note;
  const hint = said ? `\n${' '.repeat('14:03:59  '.length)}${onOneLine(said)}` : '';
  const tone = failure === undefined ? 'ok' : 'fail';
  terminal.out(columns.join('  ') + hint + more, mark === SENDING ? undefined : tone);
}

/** A webhook to post and to print. */
interface Post {
  readonly url: string;
  readonly webhook: RecordedWebhook;
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: {@link failureOfDelivery}. */
  readonly failureOf?: (result: PostResult) => string | undefined;
  readonly about?: Partial<Pick<EventLine, 'more' | 'fields'>>;
}

/**
 * Posts a webhook, and prints when it starts and when it ends: a receiver may take a minute.
 *
 * @returns Whether it ended as it should.
 */
export async function postAndPrint(terminal: Terminal, isJson: boolean, post: Post): Promise<boolean> {
  const { url, webhook, secret, headers, failureOf = failureOfDelivery, about = {} } = post;
  const { type, payload } = webhook;
  const [at, fields] = [Date.now(), { type, address: url }];
  printEvent(terminal, isJson, { at, mark: SENDING, text: `${type}  ${url}`, fields });
  const result = await postEvent({ type, payload, secret, headers, target: url });
  const { status, outcome, duration } = result;
  const failure = failureOf(result);
  const line = { at, mark: status ?? outcome, duration, text: type, failure, more: about.more };
  printEvent(terminal, isJson, { ...line, fields: { ...fields, ...about.fields } });
  return failure === undefined;
}
