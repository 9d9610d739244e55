import { expect, test } from 'vitest';
import { summarize } from '../../bench/results.js';
import type { Round } from '../../bench/rounds.js';
import type { Goal, Metric } from '../../bench/rows/row.js';

const metricWith = (...goals: Goal[]): Metric => ({
  id: 'cpu',
  title: 'CPU',
  unit: 'µs',
  baseline: 'bare',
  goals,
});

const round = (figures: Readonly<Record<string, number>>): Round =>
  new Map([['cpu', new Map(Object.entries(figures))]]);

/** The machine is slower from round to round; the ratio is 2, then 2, then 3. */
const rounds = [round({ bare: 1, ours: 2 }), round({ bare: 10, ours: 20 }), round({ bare: 100, ours: 300 })];

test('ratios are taken within a round', () => {
  const { subjects } = summarize(metricWith(), rounds);
  expect(subjects.find(({ subject }) => subject === 'ours')).toEqual({
    subject: 'ours',
    value: { median: 20, low: 11, high: 160 },
    ratio: { median: 2, low: 2, high: 2.5 },
  });
});

test.each<[what: string, goal: Goal, passed: boolean]>([
  ['a ratio at its upper bound', { subject: 'ours', against: 'bare', atMost: 2 }, true],
  ['a ratio above it', { subject: 'ours', against: 'bare', atMost: 1.9 }, false],
  ['a ratio at its lower bound', { subject: 'ours', against: 'bare', atLeast: 2 }, true],
  ['a ratio below it', { subject: 'ours', against: 'bare', atLeast: 2.1 }, false],
  ['a figure', { subject: 'ours', atMost: 20 }, true],
  ['a figure above its bound', { subject: 'ours', atMost: 19 }, false],
])('%s is judged by its median', (_, goal, passed) => {
  expect(summarize(metricWith(goal), rounds).goals).toMatchObject([{ passed }]);
});

test.each<Goal>([
  { subject: 'ours', against: 'a peer', atMost: 1 },
  { subject: 'a peer', against: 'ours', atMost: 1 },
])('a goal is not judged where one of the two was not measured: %j', (goal) => {
  expect(summarize(metricWith(goal), rounds).goals).toEqual([]);
});
