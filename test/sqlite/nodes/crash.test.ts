import { test } from 'vitest';
import { expectProjectToPass } from './run-project.js';

test('Node 24.21.0 passes the crash campaign of the inbox in a file', { timeout: 3_600_000 }, (context) =>
  expectProjectToPass('crash-sqlite', '24.21.0', context),
);
