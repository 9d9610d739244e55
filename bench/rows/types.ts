import { atMostEach, type Row, SDK } from './row.js';

/** Compiling a program that uses the package, and the same program on another one. */
export function types(): Row {
  const title = 'type-check of a typical consumer';
  return {
    id: 'types',
    rounds: 1,
    metrics: [
      {
        id: 'instantiations',
        title: `${title}, instantiations`,
        unit: '',
        baseline: SDK,
        goals: atMostEach(1, 'openai'),
      },
      { id: 'check-time', title: `${title}, time`, unit: 's', baseline: SDK, goals: [] },
    ],
    measurements: [
      { program: 'types.mjs', task: { subject: SDK, consumer: 'sdk.ts' } },
      { program: 'types.mjs', task: { subject: 'openai', consumer: 'openai.ts' }, needs: 'openai' },
    ],
  };
}
