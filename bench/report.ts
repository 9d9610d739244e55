import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { MetricResult } from './results.js';
import { versionsOfPeers } from './sandbox.js';
import { describeGoal } from './table.js';

/** Writes what was measured to bench/results.json. */
export function writeReport(metrics: readonly MetricResult[]): void {
  const [processor] = cpus();
  const report = {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    processor: `${cpus().length} x ${processor?.model ?? 'unknown'}`,
    versions: versionsOfPeers(),
    metrics,
  };
  const file = fileURLToPath(new URL('results.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(report, rounded, 2)}\n`);
}

/** Four digits that count: what follows is noise, and makes differences unreadable. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** How many goals were reached, and which were not. */
export function printVerdict(metrics: readonly MetricResult[]): void {
  const goals = metrics.flatMap(({ title, goals }) => goals.map((goal) => ({ title, goal })));
  if (goals.length === 0) return;
  const missed = goals.filter(({ goal }) => !goal.passed);
  console.log(`\n${goals.length - missed.length} of ${goals.length} goals reached`);
  for (const { title, goal } of missed) console.log(`  missed: ${title}, ${describeGoal(goal)}`);
}
