import { expect, onTestFinished } from 'vitest';

/** The kinds of resources that a leak would add to. Others belong to the test runner. */
const KINDS = ['TCPSocketWrap', 'TCPServerWrap', 'TLSWrap', 'Timeout', 'Zlib', 'GetAddrInfoReqWrap'];
const ALARMS = ['unhandledRejection', 'uncaughtException', 'warning'] as const;
/** Milliseconds until what is still there counts as left behind. */
const SETTLES_WITHIN = 10_000;

/**
 * Holds the rest of a test to this: no unhandled rejection, no warning of the runtime, and afterwards no more sockets,
 * servers and timers than now. Call it first: what a test closes at its end is closed before it looks.
 */
export function watchProcess(): void {
  const before = countResources();
  const alarms: unknown[] = [];
  const onAlarm = (alarm: unknown) => void alarms.push(alarm);
  for (const event of ALARMS) process.on(event, onAlarm);
  onTestFinished(async () => {
    const until = Date.now() + SETTLES_WITHIN;
    // Without a timer of its own, which would be counted.
    while (surplus(before).length > 0 && Date.now() < until) await new Promise(setImmediate);
    for (const event of ALARMS) process.removeListener(event, onAlarm);
    expect(surplus(before)).toEqual([]);
    expect(alarms).toEqual([]);
  });
}

/** Of what there is more than before, and how much. */
function surplus(before: Record<string, number>): string[] {
  const more = Object.entries(countResources()).map(
    ([kind, count]) => [kind, count - (before[kind] ?? 0)] as const,
  );
  return more.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
}

/** Counts what the process holds of each kind. */
export function countResources(): Record<string, number> {
  const all = process.getActiveResourcesInfo();
  return Object.fromEntries(KINDS.map((kind) => [kind, all.filter((one) => one === kind).length]));
}
