import type { Row, Setting } from './row.js';
import { delivery } from './texts.js';

const ONE = '1 named secret';
const MANY = '10,000 named secrets';

/** Finding the workspace that a webhook comes from. */
export function secrets({ file }: Setting): Row {
  const body = file('lead.json', () => delivery('lead_captured'));
  return {
    id: 'secrets',
    rounds: 9,
    metrics: [
      {
        id: 'secrets',
        title: 'parsing a webhook',
        unit: 'µs',
        baseline: ONE,
        // The same time, as near as a shared machine can tell.
        goals: [{ subject: MANY, against: ONE, atMost: 1.1 }],
      },
    ],
    measurements: [
      { program: 'secrets.mjs', task: { subject: ONE, count: 1, body } },
      { program: 'secrets.mjs', task: { subject: MANY, count: 10_000, body } },
    ],
  };
}
