import {
  ConfigurationError,
  createWebhookReceiver,
  type WebhookEvent,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, type OptionsWithSecret, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

const conversation = ({ type, payload }: WebhookEvent) =>
  type === 'conversation_updated' ? payload.convoId : undefined;

/** A receiver whose handler notes the snapshots that it has handled, told apart by their sessions. */
function setUp(handle: (session: number) => unknown = () => undefined, options: OptionsWithSecret = {}) {
  const [handled, skipped]: [number[], number[]] = [[], []];
  const failures: WebhookFailure[] = [];
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, newestOnly: conversation, ...options })
    .on('conversation_updated', async ({ payload }) => {
      await handle(Number(payload.sessionId));
      handled.push(Number(payload.sessionId));
    })
    .on('lead_captured', () => handled.push(0))
    .onSkipped(({ payload }) => skipped.push(Number('sessionId' in payload && payload.sessionId)))
    .onError((_, failure) => failures.push(failure));
  const send = async (sessionId: number, overrides: object = {}): Promise<number> => {
    const payload = { sessionId: String(sessionId), createdAt: sessionId, ...overrides };
    return (await receiver.handle(post('conversation_updated', payload))).status;
  };
  return { receiver, send, handled, skipped, failures, logger };
}

const numbers = Array.from({ length: 200 }, (_, index) => index + 1);

test.each<[string, object]>([
  ['by their createdAt', {}],
  ['by the order of arrival where that is the same', { createdAt: 1 }],
])(
  'of 200 snapshots at once, %s, the newest is the last that is handled, one at a time',
  async (_, overrides) => {
    let running = 0;
    let most = 0;
    const { send, handled, skipped } = setUp(async () => {
      running += 1;
      most = Math.max(most, running);
      await settle();
      running -= 1;
    });
    const answers = await Promise.all(numbers.map((number) => send(number, overrides)));
    expect(new Set(answers)).toEqual(new Set([200]));
    // The first was alone, and all others waited for it.
    expect([handled, skipped.length, most]).toEqual([[1, 200], 198, 1]);
  },
);

test('one that comes while the next begins waits for it', async () => {
  let running = 0;
  let most = 0;
  const first = deferred();
  const { send } = setUp(async (session) => {
    running += 1;
    most = Math.max(most, running);
    await (session === 1 ? first.promise : settle());
    running -= 1;
  });
  const sent = [send(1), send(2)];
  await settle();
  first.resolve();
  // One in each step from the end of the first to the beginning of the second.
  for (const number of numbers.slice(2, 60)) {
    sent.push(send(number));
    await Promise.resolve();
  }
  await Promise.all(sent);
  expect(most).toBe(1);
});

test('one that comes late is skipped, answered 200, logged and told; others are not held up', async () => {
  const { receiver, send, handled, skipped, logger } = setUp(undefined, { logLevel: 'info' });
  expect([await send(2), await send(1), await send(1)]).toEqual([200, 200, 200]);
  // The second copy of the skipped one is a duplicate.
  expect([handled, skipped]).toEqual([[2], [1]]);
  expect(logger.lines.filter((line) => line.includes('skipped, because'))).toHaveLength(1);
  expect(await send(1, { convoId: 'another' })).toBe(200);
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  expect(handled).toEqual([2, 1, 0]);
});

test('the same conversation of another workspace is another', async () => {
  const { send, handled } = setUp(undefined, { secret: { one: secret, other: 'another-secret-0002' } });
  await send(2);
  await send(1, { workspaceSecret: 'another-secret-0002' });
  expect(handled).toEqual([2, 1]);
});

test('where the newest fails, the next older one is handled', async () => {
  const first = deferred();
  const { send, handled, skipped } = setUp((session) => {
    if (session === 1) return first.promise;
    if (session === 4) throw new Error('no');
  });
  const answers = [1, 2, 3, 4].map((session) => send(session));
  await settle();
  first.resolve();
  expect(await Promise.all(answers)).toEqual([200, 200, 200, 500]);
  expect([handled, skipped]).toEqual([[1, 3], [2]]);
});

test('one that waits at the deadline is answered 500, told, and handled when its turn comes', async () => {
  const clock = new ManualClock();
  const first = deferred();
  const { send, handled, failures } = setUp((session) => session === 1 && first.promise, { clock });
  const answers = [send(1), send(2)];
  await settle();
  await clock.advance(55_000);
  expect(await Promise.all(answers)).toEqual([500, 500]);
  expect(failures.map(({ stage, handler }) => [stage, handler !== undefined])).toEqual([
    ['deadline', true],
    ['deadline', false],
  ]);
  first.resolve();
  await settle();
  expect(handled).toEqual([1, 2]);
});

test('stored snapshots are handled in order too', async () => {
  const { receiver, handled, skipped } = setUp();
  const process = (session: number, sequence: number, after = 0) =>
    receiver.process({
      key: String(session),
      type: 'conversation_updated',
      payload: { ...minimal.conversation_updated, sessionId: String(session) },
      deliveryId: 'delivery',
      receivedAt: 1_760_000_000_000 + after,
      sequence,
    });
  await process(2, 2);
  await process(1, 1);
  expect([handled, skipped]).toEqual([[2], [1]]);
  // The sequence is that within one millisecond.
  await process(4, 0, 1);
  await process(3, 3);
  expect([handled, skipped]).toEqual([
    [2, 4],
    [1, 3],
  ]);
});

test.each<[string, unknown]>([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['returns a number', () => 1],
])('a newestOnly that %s is a 500, and told', async (_, newestOnly) => {
  const { send, failures, handled } = setUp(undefined, { newestOnly: newestOnly as () => undefined });
  expect(await send(1)).toBe(500);
  expect(failures).toEqual([expect.objectContaining({ stage: 'dedupe' })]);
  expect(handled).toEqual([]);
});

test('a newestOnly that is no function is refused', () => {
  expect(() => setUp(undefined, { newestOnly: 'convoId' as never })).toThrow(ConfigurationError);
});

test('an onSkipped that never settles does not hold the answer beyond the deadline, which is 200', async () => {
  const clock = new ManualClock();
  const { receiver, send, failures } = setUp(undefined, { clock });
  receiver.onSkipped(() => new Promise(() => undefined));
  await send(2);
  const answer = send(1);
  await clock.advance(55_000);
  expect([await answer, failures]).toEqual([200, []]);
});

test('an older one waits for one that is handled, however many others come meanwhile', async () => {
  const end = deferred();
  const { receiver, handled, skipped } = setUp((session) => session === 2 && end.promise, {
    validation: 'off',
  });
  const process = (session: number, convoId: string) =>
    receiver.process({
      key: '',
      type: 'conversation_updated',
      payload: { convoId, sessionId: String(session), createdAt: session },
      deliveryId: 'delivery',
      receivedAt: 1_760_000_000_000,
    });
  const newer = process(2, 'held');
  // More than are remembered of those whose handlers have settled.
  for (let other = 0; other < 100_002; other += 1) await process(0, String(other));
  const older = process(1, 'held');
  await settle();
  end.resolve();
  await Promise.all([newer, older]);
  expect([handled.at(-1), skipped]).toEqual([2, [1]]);
});
