import { run, type Sample } from './program.js';
import type { Measurement, Row } from './rows/row.js';

/** The figures of one round, by metric and subject. */
export type Round = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Measures a row. In each round every subject has its turn, each time in another order, so that what the machine does
 * beside it meets all of them alike; ratios are taken within a round.
 */
export async function measureRow({ rounds: count, measurements }: Row, effort: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let number = 0; number < count; number += 1) {
    const samples: Sample[] = [];
    for (const measurement of rotated(measurements, number))
      samples.push(...(await run(measurement, effort)));
    rounds.push(byMetric(samples));
  }
  return rounds;
}

function rotated(measurements: readonly Measurement[], by: number): Measurement[] {
  const first = by % Math.max(1, measurements.length);
  return [...measurements.slice(first), ...measurements.slice(0, first)];
}

function byMetric(samples: readonly Sample[]): Round {
  const round = new Map<string, Map<string, number>>();
  for (const { metric, subject, value } of samples) {
    const figures = round.get(metric) ?? new Map<string, number>();
    round.set(metric, figures.set(subject, value));
  }
  return round;
}
