import { ConfigurationError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox } from './inbox-fixture.js';

test.each([
  ['grace', (inbox: ReturnType<typeof createInbox>) => inbox.close({ grace: -1 })],
  ['limit', (inbox: ReturnType<typeof createInbox>) => inbox.deadLetters.list({ limit: 0 })],
])('a wrong %s is refused, and has no effect', async (_, act) => {
  const inbox = createInbox();
  await expect(act(inbox)).rejects.toThrow(ConfigurationError);
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test('the store timeout is 30 seconds by default, for the receiver to compare with its deadline', () => {
  expect(createInbox().storeTimeout).toBe(30_000);
  expect(createInbox({ storeTimeout: 1_000 }).storeTimeout).toBe(1_000);
});

test('an inbox without a queue name logs a warning', () => {
  const logger = new RecordingLogger();
  createInbox({ logger, queueName: 'crm', backoff: 1_000 });
  expect(logger.lines).toEqual([]);
  createInbox({ logger, backoff: 1_000 });
  expect(logger.lines).toEqual([expect.stringMatching(/^warn .*queueName/)]);
});

test('a queue belongs to the first application that has a name, and another one is refused', async () => {
  await createInbox({ application: 'crm' }).store(stored());
  await createInbox({ application: 'crm' }).store(stored());
  const other = createInbox({ application: 'billing' });
  const handled: string[] = [];
  other.work(processing(async ({ key }) => void handled.push(key)));
  const refused = /webhooks belongs to the application crm, not billing\. .*its own queueName/;
  await expect(other.store(stored())).rejects.toThrow(refused);
  expect(await other.health()).toMatchObject({
    ready: false,
    warnings: { unreachable: expect.stringMatching(refused) },
  });
  const nameless = createInbox();
  await nameless.store(stored());
  expect([handled, (await nameless.health()).waiting]).toEqual([[], 3]);
  nameless.work({ lead_captured: ({ payload }) => handled.push(String(payload.agentId)) });
  await nameless.idle();
});
