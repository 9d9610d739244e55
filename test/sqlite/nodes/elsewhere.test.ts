import { inject, test } from 'vitest';
import { downloaded, nodeBinary } from '../../runtimes/tool-cache.js';
import { launch } from '../../support/example-process.js';
import { allRows } from '../../support/rows.js';

// This Node has no SQLite that is safe: those that have one run the tests, each in a process of its own, and at the
// same time, because the tests mostly wait. `test/runtimes` tries the rules of an inbox in each of them.
const tests = inject('sameTests');
const isCampaign = tests.includes('crash-sqlite');

test.concurrent.for(allRows && !isCampaign ? ['22.23.3', '24.21.0', '26.10.0'] : ['24.21.0'])(
  'Node %s passes the tests of the inbox in a file',
  { timeout: isCampaign ? 3_600_000 : 300_000 },
  async (version, context) => {
    const node = await downloaded(nodeBinary(version), context);
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests];
    const { ended, lines } = launch(node, args, { env }, context.onTestFinished);
    const end = await ended;
    console.log(lines.join('\n'));
    context.expect(end).toEqual([0, null]);
    context.expect(lines.some((line) => line.includes('passed'))).toBe(true);
  },
);
