import type { FakePlatform } from 'agent-platform-sdk/testing';
import { expect } from 'vitest';
import { inForm } from '../support/form.js';
import type { Lap } from './client-lap.js';
import { workOff } from './work-off.js';

const EVENTS = inForm({ short: 100, long: 1_500 });
const AT_ONCE = 16;

/** The handlers' record of each event of a lap. */
export interface HandlerBook {
  readonly succeeded: Map<string, number>;
  readonly failed: Map<string, number>;
}

export const newBook = (): HandlerBook => ({ succeeded: new Map(), failed: new Map() });

/** Notes a run. */
export function note(runs: Map<string, number>, message: string): void {
  runs.set(message, (runs.get(message) ?? 0) + 1);
}

/** The sending of one event, and its answers. */
interface Sent {
  readonly message: string;
  readonly forged: boolean;
  readonly statuses: readonly (number | undefined)[];
}

/** Some hundred events or more, with duplicates and forgeries; then the books are balanced. Returns how many deliveries. */
export async function webhookLap(
  fake: FakePlatform,
  book: HandlerBook,
  { lap, random }: Lap,
): Promise<number> {
  book.succeeded.clear();
  book.failed.clear();
  const sent: Sent[] = [];
  const messages = Array.from({ length: EVENTS }, (_, number) => `event ${lap}.${number}`);
  await workOff(messages, AT_ONCE, async (message) => {
    const forged = random() < 0.05;
    const copies = 1 + Math.floor(random() * 3);
    const records = await fake.webhooks.send('webhook_test', { message }, { forged, copies });
    sent.push({ message, forged, statuses: records.map(({ status }) => status) });
  });
  expect(sent).toHaveLength(EVENTS);
  for (const each of sent) expectBalanced(each, book);
  return sent.flatMap(({ statuses }) => statuses).length;
}

/** Forged events are refused; the others succeed once where any copy is told so, and else have failed. */
function expectBalanced({ message, forged, statuses }: Sent, { succeeded, failed }: HandlerBook): void {
  const which = `${message}: ${statuses.join(', ')}`;
  const allowed = forged ? [401] : [200, 500];
  expect(
    statuses.filter((status) => !allowed.includes(status ?? 0)),
    which,
  ).toEqual([]);
  expect(succeeded.get(message) ?? 0, which).toBe(statuses.includes(200) ? 1 : 0);
  expect(failed.has(message), which).toBe(statuses.includes(500));
}
