import type { Row, Setting } from './row.js';

const BARE = 'bare node:http';
const doors = [
  { subject: BARE, door: 'bare-http' },
  { subject: 'fake.listen()', door: 'http' },
  { subject: 'bare msw handler', door: 'bare-msw', needs: 'msw' },
  { subject: 'fakeHandlers(fake)', door: 'msw', needs: 'msw' },
  { subject: 'fake.fetch', door: 'fetch' },
];

/** The fake through each of its doors, client and server in one process. */
export function fake({ smoke }: Setting): Row {
  return {
    id: 'fake',
    rounds: 5,
    metrics: [{ id: 'fake', title: 'the fake, per second', unit: 'requests', baseline: BARE, goals: [] }],
    measurements: doors.map(({ needs, ...door }) => ({
      program: 'fake.mjs',
      task: { ...door, calls: smoke ? 40 : 4_000 },
      needs,
    })),
  };
}
