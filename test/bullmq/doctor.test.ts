import { expect, test } from 'vitest';
import { start } from '../cli/terminal.js';
import { eventually, stored } from '../inbox/fixture.js';
import { createInbox, redis, url } from './inbox-fixture.js';

test('the doctor checks the named queue, and leaves no connection behind', async () => {
  const inbox = createInbox({ queueName: 'crm' });
  await inbox.store(stored({ receivedAt: Date.now() - 60_000 }));
  const connections = async () =>
    String(await redis.client('LIST'))
      .trim()
      .split('\n').length;
  const before = await connections();
  const { exit, lines } = await start(['doctor', '--redis', '--queue', 'crm'], { REDIS_URL: url });
  // The settings for the service are missing.
  expect(await exit).toBe(1);
  expect(lines.join('\n')).toMatch(/ok +inbox +accepts events: 1 waiting, 0 active/);
  expect(lines.join('\n')).toMatch(/warn +inbox +maxmemory is 0/);
  await eventually(async () => expect(await connections()).toBe(before));
});
