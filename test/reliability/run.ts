/**
 * `npm run test:reliability -- [--long] [--seed 7] [filter ...]`: what the package promises, under faults, hostile
 * input and load. vitest refuses flags it does not know, so they become `RELIABILITY_LONG` and `RELIABILITY_SEED` here.
 */

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: process.env.RELIABILITY_LONG === '1' },
    seed: { type: 'string', default: process.env.RELIABILITY_SEED ?? String(Date.now() % 1_000_000) },
  },
});
if (!/^\d+$/.test(values.seed)) throw new Error(`--seed takes a whole number, not ${values.seed}`);
process.env.RELIABILITY_SEED = values.seed;
process.env.RELIABILITY_LONG = values.long ? '1' : '0';

const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'reliability', ...positionals], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
