import type { FakePlatform } from 'agent-platform-sdk/testing';
import { expect } from 'vitest';

const EVENTS = 200;

/** What handlers have done with each event of a lap. */
export interface HandlerBook {
  readonly succeeded: Map<string, number>;
  readonly failed: Map<string, number>;
}

export const newBook = (): HandlerBook => ({ succeeded: new Map(), failed: new Map() });

/** Notes a run. */
export function note(runs: Map<string, number>, message: string): void {
  runs.set(message, (runs.get(message) ?? 0) + 1);
}

/** Some hundred events, with duplicates and forgeries, all at once; then the books are balanced. */
export async function webhookLap(
  fake: FakePlatform,
  book: HandlerBook,
  random: () => number,
): Promise<number> {
  book.succeeded.clear();
  book.failed.clear();
  const sent = await Promise.all(
    Array.from({ length: EVENTS }, async (_, number) => {
      const message = `event ${number}`;
      const forged = random() < 0.05;
      const copies = 1 + Math.floor(random() * 3);
      return {
        message,
        forged,
        records: await fake.webhooks.send('webhook_test', { message }, { forged, copies }),
      };
    }),
  );
  for (const { message, forged, records } of sent) {
    const statuses = records.map(({ status }) => status);
    const successes = book.succeeded.get(message) ?? 0;
    const failures = book.failed.get(message) ?? 0;
    const which = `${message}: ${statuses.join(', ')}`;
    if (forged) {
      expect(new Set(statuses), which).toEqual(new Set([401]));
      expect(successes + failures, which).toBe(0);
      continue;
    }
    expect(successes, which).toBe(statuses.includes(200) ? 1 : 0);
    expect(failures > 0, which).toBe(statuses.includes(500));
    expect(
      statuses.every((status) => status === 200 || status === 500),
      which,
    ).toBe(true);
  }
  return sent.reduce((count, { records }) => count + records.length, 0);
}
