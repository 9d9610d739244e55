/**
 * Measures how many events per second are accepted and worked off with 1, 2 and 4 processes on each side, beside BullMQ as one
 * would use it by hand, in the same run; and what a waiting event takes of Redis's memory.
 *
 * `npx tsx bench/inbox/bench.ts --rounds 3`, or a part: `--size '10 kB' --processes 1`. With `--waiting 100000`, so many events wait
 * before anything is measured.
 */
import { parseArgs } from 'node:util';
import { startRedis } from '../../scripts/redis-server.js';
import { type Figures, measure } from './measure.js';
import type { Kind } from './role.js';

const SIZES = [
  { name: '1 kB', bytes: 1_000, count: 20_000 },
  { name: '10 kB', bytes: 10_000, count: 2_000 },
  { name: '1 MB', bytes: 1_000_000, count: 100 },
];
const PROCESSES = [1, 2, 4];
const KINDS: readonly Kind[] = ['ours', 'plain'];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    size: { type: 'string' },
    processes: { type: 'string' },
    waiting: { type: 'string', default: '0' },
  },
});
const [rounds, waiting] = [Number(values.rounds), Number(values.waiting)];
const redis = await startRedis();
console.log(
  `Medians of ${rounds} rounds. "plain" is BullMQ with the same jobs by hand: nothing is verified, validated or hashed.`,
);
console.log('CPU is processor time per event; memory is of Redis, per waiting event.\n');
console.log(
  row([
    'event',
    'processes',
    'kind',
    'accepted/s',
    'worked/s',
    'CPU receive',
    'CPU work',
    'CPU both',
    'CPU Redis',
    'memory',
  ]),
);
for (const { name, bytes, count } of SIZES.filter(({ name }) => name === (values.size ?? name))) {
  for (const processes of values.processes === undefined ? PROCESSES : [Number(values.processes)]) {
    const taken: Record<Kind, Figures[]> = { ours: [], plain: [] };
    for (let round = 0; round < rounds; round += 1) {
      // By turns, and turned round each time, so that a busy moment of the machine meets both.
      for (const kind of round % 2 === 0 ? KINDS : [...KINDS].reverse()) {
        taken[kind].push(await measure({ kind, processes, bytes, count, waiting }, redis.url));
      }
    }
    for (const kind of KINDS) console.log(describe(name, processes, kind, taken[kind]));
    console.log(row(['', '', 'ours/plain', ...ratios(taken)]));
  }
}
await redis.stop();

function describe(name: string, processes: number, kind: Kind, taken: readonly Figures[]): string {
  const of = (read: (figures: Figures) => number) => median(taken.map(read));
  const [receive, work] = [of((one) => one.acceptCpu), of((one) => one.workCpu)];
  return row([
    name,
    String(processes),
    kind,
    of((one) => one.acceptedPerSecond).toFixed(0),
    of((one) => one.workedPerSecond).toFixed(0),
    `${receive.toFixed(0)} µs`,
    `${work.toFixed(0)} µs`,
    `${of((one) => one.acceptCpu + one.workCpu).toFixed(0)} µs`,
    `${of((one) => one.redisCpu).toFixed(0)} µs`,
    `${(of((one) => one.bytesWaiting) / 1_000).toFixed(2)} kB`,
  ]);
}

function ratios({ ours, plain }: Readonly<Record<Kind, readonly Figures[]>>): string[] {
  // Round by round: the speed of a machine changes from one to the next.
  const ratio = (read: (figures: Figures) => number) =>
    median(ours.map((one, round) => read(one) / read(plain[round] ?? one))).toFixed(2);
  return [
    ratio((one) => one.acceptedPerSecond),
    ratio((one) => one.workedPerSecond),
    ratio((one) => one.acceptCpu),
    ratio((one) => one.workCpu),
    ratio((one) => one.acceptCpu + one.workCpu),
    ratio((one) => one.redisCpu),
    ratio((one) => one.bytesWaiting),
  ];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function row(cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(11)).join(' ');
}
