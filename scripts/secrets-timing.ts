/**
 * `npx tsx scripts/secrets-timing.ts [--samples 5000]`: whether the time that a wrong secret takes tells anything about the
 * right one. Two classes of input are measured in random order, and held apart by Welch's t, as dudect does: beyond 4.5
 * they differ. A report, not a gate: a machine that does other work blurs it.
 */

import { parseArgs } from 'node:util';
import { verifierFor, type WebhookSecrets } from '../src/webhooks/secrets.js';
import { compareTimes, type Probe, probe } from './timing/compare.js';

const { values } = parseArgs({ options: { samples: { type: 'string', default: '5000' } } });
const samples = Number(values.samples);

type Check = (presented: string) => unknown;

/** The secret comparison of this package, and the one that a hurried program would write. */
const ways: readonly { readonly name: string; readonly checkFor: (secrets: readonly string[]) => Check }[] = [
  { name: 'this package', checkFor: (secrets) => verifierFor(secrets satisfies WebhookSecrets) },
  { name: 'naive ===', checkFor: (secrets) => (presented) => secrets.some((secret) => secret === presented) },
];

const secret = (length: number, seed = 1): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 31 + seed * 17) % 90))).join('');

const LENGTH = 4_096;
const right = secret(LENGTH);
const wrongAt = (index: number) => `${right.slice(0, index)}~${right.slice(index + 1)}`;
const others = Array.from({ length: 10_000 }, (_, index) => `${secret(40, index)}-${index}`);

interface Axis {
  readonly name: string;
  readonly classes: (checkFor: (secrets: readonly string[]) => Check) => readonly [Probe, Probe];
}

const axes: readonly Axis[] = [
  {
    name: 'control: the same text twice, which tells what the machine makes of nothing',
    classes: (checkFor) => {
      const check = checkFor([right]);
      return [probe(check, wrongAt(0)), probe(check, wrongAt(0))];
    },
  },
  {
    name: 'prefix: wrong in the first letter, in the last',
    classes: (checkFor) => {
      const check = checkFor([right]);
      return [probe(check, wrongAt(0)), probe(check, wrongAt(LENGTH - 1))];
    },
  },
  {
    name: 'length: a secret as long as what is presented, or half as long',
    classes: (checkFor) => [
      probe(checkFor([secret(64)]), `${secret(63)}~`),
      probe(checkFor([secret(32)]), `${secret(63)}~`),
    ],
  },
  {
    name: 'number: one secret, ten thousand',
    classes: (checkFor) => [
      probe(checkFor([right]), wrongAt(LENGTH - 1)),
      probe(checkFor([...others, right]), wrongAt(LENGTH - 1)),
    ],
  },
];

console.log(`Welch's t of ${samples} samples a class; beyond 4.5 the two classes differ.\n`);
for (const { name, classes } of axes) {
  console.log(name);
  for (const way of ways) {
    const { t, difference, mean } = compareTimes(classes(way.checkFor), samples);
    const percent = (100 * difference) / mean;
    const verdict = Math.abs(t) > 4.5 ? 'differ' : 'the same';
    console.log(
      `  ${way.name.padEnd(14)} t = ${t.toFixed(1).padStart(8)}   ${difference.toFixed(0).padStart(8)} ns of ${mean.toFixed(0)} (${percent.toFixed(1)} %)   ${verdict}`,
    );
  }
}
