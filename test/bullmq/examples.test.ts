import { test } from 'vitest';
import { runExample } from '../inbox/example.js';
import { url } from './inbox-fixture.js';

test(
  'bullmq-inbox stores in one process, handles in another, and both end after SIGTERM',
  () => runExample('bullmq-inbox', { REDIS_URL: url }),
  60_000,
);
