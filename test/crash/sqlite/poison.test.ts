/** Good events beside bad ones, in a file. A test file of its own, because it mostly waits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { expectGoodEventsHandled } from '../poison.js';

test('poison: one event ends its worker, another one blocks it, and no good one becomes a dead letter', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'poison-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expectGoodEventsHandled({ file: join(folder, 'webhooks.db') });
}, 120_000);
