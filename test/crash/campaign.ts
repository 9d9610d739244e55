/**
 * The crash campaign: a sender, receivers and workers as real processes around a Redis, and everything that makes
 * operators lose events. Each scenario sends tens of thousands of events; then every event that was answered 200 must have
 * been handled, or be kept as a dead letter.
 *
 * `npm run test:crash`, or a part of it: `-- --scenario 'kills,rolling deploy' --events 2000 --seed 1`. Fewer than 10 000 events are a short
 * run, with shorter locks and time limits than the defaults. `--persistence everysec` or `none` shows what a Redis that keeps
 * less loses in the scenario `kills`.
 */

import { parseArgs } from 'node:util';
import { bundleProcess } from '../../scripts/bundle-process.js';
import type { Outcome, Scenario } from './scenario.js';
import { blocked } from './scenarios/blocked.js';
import { deploy } from './scenarios/deploy.js';
import { failover } from './scenarios/failover.js';
import { fullRedis } from './scenarios/full-redis.js';
import { hung } from './scenarios/hung.js';
import { kills } from './scenarios/kills.js';
import { replies } from './scenarios/replies.js';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    persistence: { type: 'string', default: 'always' },
    scenario: { type: 'string' },
  },
});
const all = [deploy, failover, fullRedis, hung, kills(values.persistence), blocked, replies];
const scenarios = choose(all, values.scenario);
const [events, seed] = [Number(values.events), Number(values.seed)];
console.log(`${events} events in each scenario, seed ${seed}`);

const script = await bundleProcess(new URL('./process.ts', import.meta.url), 'crash');
const outcomes = new Map<string, Outcome>();
for (const { name, play } of scenarios) {
  const began = Date.now();
  const outcome = await play({ events, seed, isShort: events < 10_000, script });
  outcomes.set(name, outcome);
  const { faults, answers, broken } = outcome;
  const happened = Object.entries(faults).map(([fault, count]) => `${fault} ${count}`);
  const answered = [...answers].map(([answer, count]) => `${answer}: ${count}`);
  console.log(
    `${name}: ${((Date.now() - began) / 1_000).toFixed(0)} s; ${happened.join(', ')}; ${answered.join(', ')}`,
  );
  for (const rule of broken) console.log(`${name}: BROKEN: ${rule}`);
}
const isKept = [...outcomes.values()].every(({ broken }) => broken.length === 0);
report();
console.log(isKept ? 'The promise holds.' : 'The promise is broken.');
// What may still hold this process, such as a connection to a receiver that was killed, is not what is judged.
process.exit(isKept ? 0 : 1);

function choose(all: readonly Scenario[], wanted: string | undefined): readonly Scenario[] {
  if (wanted === undefined) return all;
  const names = wanted.split(',');
  const unknown = names.find((name) => all.every((scenario) => scenario.name !== name));
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name));
  throw new Error(`no scenario ${unknown}, but ${all.map(({ name }) => name).join(', ')}`);
}

function report(): void {
  const rows = [...outcomes].map(([name, { verdict, acknowledged }]) => {
    const { lost, kept, again, repeated } = verdict;
    const reasons = [...again].map(([reason, count]) => `${count} ${reason}`);
    if (repeated.length > 0) reasons.push(`${repeated.length} WITHOUT A REASON`);
    return [name, String(acknowledged), String(lost.length), String(kept.size), reasons.join(', ') || '0'];
  });
  const table = [['scenario', 'acknowledged', 'lost', 'dead letters', 'handled twice, and why'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log();
  for (const row of table) console.log(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  console.log();
}
