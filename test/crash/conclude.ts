import { expect } from 'vitest';
import type { Stage } from './stage.js';
import type { Verdict } from './verdict.js';

export interface Ending {
  /** The number of each fault. A scenario without one of its faults has proven nothing. */
  readonly faults: Readonly<Record<string, number>>;
  /** Further rules of the scenario, and whether each was kept. */
  readonly rules?: Readonly<Record<string, boolean>>;
  /** Why duplicates may run, if the inbox may have forgotten the first one. */
  readonly duplicatesRun?: string;
  /** Why any event may run again. */
  readonly allRun?: string;
  /** The number of events that must become dead letters. Default 0. */
  readonly poisons?: number;
}

/** Drains and closes the stage, prints what happened, and fails if a promise is broken. */
export async function expectPromiseKept(stage: Stage, ending: (verdict: Verdict) => Ending): Promise<void> {
  const isDrained = await stage.drain();
  const health = await stage.inbox.health();
  const verdict = await stage.close();
  const { faults, rules = {}, poisons = 0, duplicatesRun, allRun } = ending(verdict);
  const { acknowledged, sent, forgedAccepted, duplicated } = stage.ledger;
  const explain = (name: string) => (duplicated.has(name) ? duplicatesRun : undefined) ?? allRun;
  report(stage, verdict, faults, explain);
  const { lost, forged, kept } = verdict;
  const repeated = verdict.repeated.filter((name) => explain(name) === undefined);
  const broken = [
    !isDrained && `not drained: ${JSON.stringify(health)}`,
    lost.length > 0 && `lost ${shown(lost)}`,
    repeated.length > 0 && `handled twice without a reason ${shown(repeated)}`,
    forged.length + forgedAccepted > 0 && `forged and accepted ${shown(forged)}`,
    acknowledged.size < sent.size / 10 && `only ${acknowledged.size} acknowledged`,
    kept.size !== poisons && `${kept.size} dead letters: ${[...new Set(kept.values())].join('; ')}`,
    ...Object.entries(faults).map(([fault, count]) => count === 0 && `did not happen: ${fault}`),
    ...Object.entries(rules).map(([rule, isKept]) => !isKept && rule),
  ].filter((rule) => rule !== false);
  expect(broken).toEqual([]);
}

function report(
  { ledger }: Stage,
  verdict: Verdict,
  faults: Ending['faults'],
  explain: (name: string) => string | undefined,
): void {
  const { handled, lost, kept, again, repeated } = verdict;
  const reasons = new Map(again);
  for (const name of repeated) {
    const reason = explain(name) ?? 'OF AN UNKNOWN REASON';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const twice = [...reasons].map(([reason, count]) => `${count} because ${reason}`);
  console.log(
    [
      `faults: ${counts(Object.entries(faults))}`,
      `responses: ${counts(ledger.outcomes)}`,
      `acknowledged ${ledger.acknowledged.size}, handled ${handled}, lost ${lost.length}, dead letters ${kept.size}`,
      `handled twice: ${twice.join(', ') || 0}`,
      ...verdict.traces.slice(0, 5),
    ].join('\n'),
  );
}

function counts(entries: Iterable<readonly [string, number]>): string {
  return [...entries].map(([name, count]) => `${name} ${count}`).join(', ');
}

function shown(names: readonly string[]): string {
  return `${names.length}: ${names.slice(0, 5).join(', ')}`;
}
