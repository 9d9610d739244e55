import { test } from 'vitest';
import { expectGoodEventsHandled } from '../poison.js';
import { openPostgres } from './server.js';

test('poison: one event ends its worker, another one blocks it, and no good one becomes a dead letter', async () => {
  await expectGoodEventsHandled({ postgres: (await openPostgres()).url });
}, 120_000);
