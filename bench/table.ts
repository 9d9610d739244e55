import type { GoalResult, MetricResult, SubjectResult } from './results.js';
import { SDK } from './rows/row.js';

/** The figures of a metric, and what became of its goals. */
export function printMetric({ title, unit, baseline, subjects, goals }: MetricResult): void {
  const times = baseline === undefined ? '' : `; times ${baseline}`;
  console.log(`\n${title}${unit === '' ? '' : ` (${unit})`}${times}`);
  const width = Math.max(...subjects.map(({ subject }) => subject.length));
  const ours = subjects.find(({ subject }) => subject === SDK)?.value.median;
  for (const result of ranked(subjects))
    console.log(`  ${line(result, width)}${bar(result, ours)}`.trimEnd());
  for (const goal of goals) console.log(`  ${verdict(goal)}`);
}

/** Prints how many goals were reached, and which were not. */
export function printVerdict(metrics: readonly MetricResult[]): void {
  const goals = metrics.flatMap(({ title, goals }) => goals.map((goal) => ({ title, goal })));
  if (goals.length === 0) return;
  const missed = goals.filter(({ goal }) => !goal.passed);
  console.log(`\n${goals.length - missed.length} of ${goals.length} goals reached`);
  for (const { title, goal } of missed) console.log(`  missed: ${title}, ${describeGoal(goal)}`);
}

function ranked(subjects: readonly SubjectResult[]): SubjectResult[] {
  return subjects.slice().sort((a, b) => a.value.median - b.value.median);
}

function line({ subject, value, ratio }: SubjectResult, width: number): string {
  const times =
    ratio === undefined ? '' : `${fixed(ratio.median)}x (${fixed(ratio.low)} to ${fixed(ratio.high)})`;
  return `${subject.padEnd(width)}  ${short(value.median).padStart(9)}  ${times.padEnd(28)}`;
}

/** Characters of this package's bar, and of the longest one. */
const BAR = { own: 16, longest: 48 };

/** A bar as long as the value is beside this package's; one that would be too long ends in `>`. */
function bar({ value }: SubjectResult, ours: number | undefined): string {
  // A heap may have shrunk.
  if (ours === undefined || ours <= 0 || value.median <= 0) return '';
  const length = Math.round((value.median / ours) * BAR.own);
  return `  ${length > BAR.longest ? `${'='.repeat(BAR.longest)}>` : '='.repeat(length)}`;
}

/** `pass  at most 1.5x bare fetch: 1.21x`. */
function verdict(goal: GoalResult): string {
  return `${goal.passed ? 'pass' : 'MISS'}  ${describeGoal(goal)}: ${shownSpread(goal)}`;
}

function describeGoal({ subject, against, atMost, atLeast }: GoalResult): string {
  const who = subject === SDK ? '' : `${subject} `;
  const bound = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return against === undefined ? `${who}${bound}` : `${who}${bound}x ${against}`;
}

function shownSpread({ against, reached }: GoalResult): string {
  const show = (value: number): string => (against === undefined ? short(value) : `${fixed(value)}x`);
  return `${show(reached.median)} (${show(reached.low)} to ${show(reached.high)})`;
}

const fixed = (value: number): string => value.toFixed(2);

/** Three digits that count, whatever the size. */
export function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}
