import type { Play, Stage } from './stage.js';
import type { Verdict } from './verdict.js';

/** One way in which operators lose events. */
export interface Scenario {
  readonly name: string;
  /** Plays it. Whatever is started is stopped by the time it resolves. */
  play(play: Play): Promise<Outcome>;
}

/** The result of a scenario. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly acknowledged: number;
  /** The number of deliveries by their answer. */
  readonly answers: ReadonlyMap<string, number>;
  /** Counts each fault that happened. A scenario in which one of them did not happen has proven nothing. */
  readonly faults: Readonly<Record<string, number>>;
  /** The rules that were broken. */
  readonly broken: readonly string[];
}

export interface Ending {
  readonly faults: Readonly<Record<string, number>>;
  /** Rules of the scenario's own: each with whether it was kept. */
  readonly rules?: Readonly<Record<string, boolean>>;
  /** Dead letters are expected. Default: none. */
  readonly mayKeep?: boolean;
  /** Events may be lost, where Redis does not keep what it acknowledges. */
  readonly mayLose?: boolean;
}

/** Drains and closes the stage, and holds what it has left against the promise. */
export async function conclude(stage: Stage, ending: (verdict: Verdict) => Ending): Promise<Outcome> {
  const isDrained = await stage.drain();
  const health = await stage.inbox.health();
  const verdict = await stage.close();
  const { faults, rules = {}, mayKeep = false, mayLose = false } = ending(verdict);
  const { ledger } = stage;
  const { lost, forged, repeated, kept } = verdict;
  const shown = (names: readonly string[]) => `${names.length}: ${names.slice(0, 5).join(', ')}`;
  const broken = [
    !isDrained && `not drained: ${JSON.stringify(health)}`,
    !mayLose && lost.length > 0 && `lost ${shown(lost)}`,
    !mayLose && repeated.length > 0 && `handled twice without a reason ${shown(repeated)}`,
    forged.length + ledger.forgedAccepted > 0 && `forged and accepted ${shown(forged)}`,
    ledger.acknowledged.size < ledger.sent.size / 10 && `only ${ledger.acknowledged.size} acknowledged`,
    !mayKeep && kept.size > 0 && `${kept.size} dead letters: ${[...new Set(kept.values())].join('; ')}`,
    ...Object.entries(faults).map(([fault, count]) => count === 0 && `did not happen: ${fault}`),
    ...Object.entries(rules).map(([rule, isKept]) => !isKept && rule),
  ].filter((rule) => rule !== false);
  const acknowledged = ledger.acknowledged.size;
  return { verdict, acknowledged, answers: ledger.outcomes, faults, broken };
}
