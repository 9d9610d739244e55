import type { Round } from './rounds.js';
import type { Goal, Metric } from './rows/row.js';
import { type Spread, spreadOf } from './statistics.js';

/** The result of one subject. */
export interface SubjectResult {
  readonly subject: string;
  readonly value: Spread;
  /** Times the baseline of the same round; none where the metric has no baseline, or it was not measured. */
  readonly ratio?: Spread | undefined;
}

/** The result of a goal. */
export interface GoalResult extends Goal {
  /** The ratio, or the figure where the goal is not against anything. */
  readonly reached: Spread;
  readonly passed: boolean;
}

/** A metric over all rounds. */
export interface MetricResult {
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
  readonly baseline?: string | undefined;
  readonly subjects: readonly SubjectResult[];
  readonly goals: readonly GoalResult[];
}

export function summarize(metric: Metric, rounds: readonly Round[]): MetricResult {
  const { id, title, unit, baseline } = metric;
  const figures = rounds.map((round) => round.get(id) ?? new Map<string, number>());
  const subjects = [...new Set(figures.flatMap((round) => [...round.keys()]))].map((subject) => ({
    subject,
    value: spreadOf(valuesOf(figures, subject)),
    ratio: baseline === undefined ? undefined : ratioOf(figures, subject, baseline),
  }));
  const goals = metric.goals.flatMap((goal) => judge(goal, figures) ?? []);
  return { metric: id, title, unit, baseline, subjects, goals };
}

type Figures = readonly ReadonlyMap<string, number>[];

function valuesOf(figures: Figures, subject: string): number[] {
  return figures.flatMap((round) => round.get(subject) ?? []);
}

/** None where one of the two was not measured. */
function ratioOf(figures: Figures, subject: string, against: string): Spread | undefined {
  const ratios = figures.flatMap((round) => {
    const [value, other] = [round.get(subject), round.get(against)];
    return value === undefined || other === undefined ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function judge(goal: Goal, figures: Figures): GoalResult | undefined {
  const { subject, against, atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  const values = valuesOf(figures, subject);
  if (values.length === 0) return undefined;
  const reached = against === undefined ? spreadOf(values) : ratioOf(figures, subject, against);
  if (reached === undefined) return undefined;
  return { ...goal, reached, passed: reached.median <= atMost && reached.median >= atLeast };
}
