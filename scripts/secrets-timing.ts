/**
 * `npx tsx scripts/secrets-timing.ts [samples]`: whether the time that a wrong secret takes tells anything about the right
 * one, beside a naive `===`. Two classes of input are measured in random order, and held apart by Welch's t, as dudect does:
 * beyond 4.5 they differ. A report, not a gate: a machine that does other work blurs it.
 */
import { createVerifier } from '../src/webhooks/secrets.js';

const samples = Number(process.argv[2] ?? 5_000);
/** Calls in one measurement: more than the resolution of the clock. */
const CALLS = 20;
const LENGTH = 4_096;

type Check = (presented: string) => unknown;
type CheckFor = (secrets: readonly string[]) => Check;
type Probe = readonly [run: Check, text: string];

const ways: Readonly<Record<string, CheckFor>> = {
  'this package': (secrets) => createVerifier(secrets),
  'naive ===': (secrets) => (presented) => secrets.some((secret) => secret === presented),
};

const secret = (length: number, seed = 1): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 31 + seed * 17) % 90))).join('');
const right = secret(LENGTH);
const wrongAt = (index: number) => `${right.slice(0, index)}~${right.slice(index + 1)}`;
const others = Array.from({ length: 10_000 }, (_, index) => `${secret(40, index)}-${index}`);

const axes: Readonly<Record<string, (checkFor: CheckFor) => readonly [Probe, Probe]>> = {
  'control: the same text twice, which tells what the machine makes of nothing': (checkFor) => {
    const check = checkFor([right]);
    return [
      [check, wrongAt(0)],
      [check, wrongAt(0)],
    ];
  },
  'prefix: wrong in the first letter, in the last': (checkFor) => {
    const check = checkFor([right]);
    return [
      [check, wrongAt(0)],
      [check, wrongAt(LENGTH - 1)],
    ];
  },
  'length: a secret as long as what is presented, or half as long': (checkFor) => [
    [checkFor([secret(64)]), `${secret(63)}~`],
    [checkFor([secret(32)]), `${secret(63)}~`],
  ],
  'number: one secret, ten thousand': (checkFor) => [
    [checkFor([right]), wrongAt(LENGTH - 1)],
    [checkFor([...others, right]), wrongAt(LENGTH - 1)],
  ],
};

console.log(`Welch's t of ${samples} samples a class; beyond 4.5 the two classes differ.\n`);
for (const [axis, probesFor] of Object.entries(axes)) {
  console.log(axis);
  for (const [way, checkFor] of Object.entries(ways)) {
    const { t, difference, mean } = compare(probesFor(checkFor));
    const [shown, percent] = [t.toFixed(1).padStart(8), ((100 * difference) / mean).toFixed(1)];
    console.log(
      `  ${way.padEnd(14)} t = ${shown}   ${percent} %   ${Math.abs(t) > 4.5 ? 'differ' : 'the same'}`,
    );
  }
}

/** In random order, so that what the machine does meanwhile strikes both; without the slowest tenth: interruptions, collections. */
function compare(probes: readonly [Probe, Probe]) {
  const times: readonly [number[], number[]] = [[], []];
  for (let count = -samples / 10; count < samples * 2; count += 1) {
    const pick = Math.random() < 0.5 ? 0 : 1;
    const elapsed = measure(probes[pick]);
    if (count >= 0) times[pick].push(elapsed);
  }
  const limit = times.flat().sort((one, other) => one - other)[Math.floor(samples * 1.8)] ?? 0;
  const [one, other] = times.map((all) => momentsOf(all.filter((time) => time <= limit))) as [
    Moments,
    Moments,
  ];
  const difference = other.mean - one.mean;
  return { t: difference / Math.sqrt(one.error + other.error), difference, mean: one.mean };
}

function measure([run, text]: Probe): number {
  // A text as a parser makes it: each one new, so that no engine has hashed or interned it.
  const bytes = Buffer.from(text, 'latin1');
  const texts = Array.from({ length: CALLS }, () => bytes.toString('latin1'));
  const start = process.hrtime.bigint();
  for (const each of texts) run(each);
  return Number(process.hrtime.bigint() - start) / CALLS;
}

type Moments = ReturnType<typeof momentsOf>;

function momentsOf(times: readonly number[]) {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { mean, error: variance / times.length };
}
