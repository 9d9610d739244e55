import { test } from 'vitest';
import { allRows } from '../../support/rows.js';
import { expectProjectToPass } from './run-project.js';

// This Node has no SQLite that is safe: those that have one run the tests, each in a process of its own, and at the
// same time, because the tests mostly wait. `test/runtimes` tries the rules of an inbox in each of them.
test.concurrent.for(allRows ? ['22.23.3', '24.21.0', '26.10.0'] : ['24.21.0'])(
  'Node %s passes the tests of the inbox in a file',
  { timeout: 300_000 },
  (version, context) => expectProjectToPass('sqlite', version, context),
);
