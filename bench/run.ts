/**
 * Measures this package beside what a user would install instead: `npm run bench -- --rounds 3 --only start,cpu`.
 * `--smoke` runs everything once, quickly, and only tells whether it runs.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { readOptions } from './options.js';
import { startServer } from './program.js';
import { type MetricResult, summarize } from './results.js';
import { measureRow } from './rounds.js';
import { everyRow } from './rows/index.js';
import type { Row, Setting } from './rows/row.js';
import { toolAnswer } from './rows/texts.js';
import { installPackage, installPeers, isInstalled, Scratch } from './sandbox.js';
import { printMetric, printVerdict } from './table.js';

const options = readOptions(process.argv.slice(2));
const effort = options.smoke ? 2 : 300;
if (!options.smoke) installPeers();
await installPackage(options.package);

const scratch = new Scratch();
const server = await startServer(scratch.file('tool-answer.json', toolAnswer));
const setting: Setting = { smoke: options.smoke, baseUrl: server.baseUrl, file: scratch.file };
const results: MetricResult[] = [];
try {
  for (const name of options.only) results.push(...(await measure(everyRow[name](setting))));
} finally {
  server.stop();
  scratch.remove();
}
if (!options.smoke) printVerdict(results);
if (options.json !== undefined) {
  const machine = { node: process.version, cores: cpus().length, processor: cpus()[0]?.model };
  writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 2)}\n`);
}

async function measure(row: Row): Promise<MetricResult[]> {
  const measurements = row.measurements.filter(({ needs }) => needs === undefined || isInstalled(needs));
  const rounds = await measureRow({ ...row, rounds: options.rounds ?? row.rounds, measurements }, effort);
  if (options.smoke) {
    const left = row.measurements.length - measurements.length;
    console.log(`${row.id}: ${measurements.length} ran${left === 0 ? '' : `, ${left} need peers`}`);
    return [];
  }
  const measured = row.metrics.map((metric) => summarize(metric, rounds));
  for (const metric of measured) printMetric(metric);
  return measured;
}
