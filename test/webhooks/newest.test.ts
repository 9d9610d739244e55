import { getEventListeners } from 'node:events';
import {
  ConfigurationError,
  createWebhookReceiver,
  defineEvent,
  type StoredWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
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

test('snapshots are told apart where duplicates are not', async () => {
  const { send, handled, skipped } = setUp(undefined, { dedupe: false });
  for (const session of [2, 2, 1]) expect(await send(session)).toBe(200);
  expect([handled, skipped]).toEqual([[2, 2], [1]]);
});

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
  for (const createdAt of [2, 1]) await receiver.handle(post('lead_captured', { createdAt }));
  expect(handled).toEqual([2, 1, 0, 0]);
  expect(logger.lines.join()).not.toContain('failed');
});

test('a copy of one that is skipped is a duplicate, whether it comes meanwhile or afterwards', async () => {
  const outcomes: string[] = [];
  const { send, skipped } = setUp(undefined, {
    hooks: { onDelivery: ({ outcome }) => outcomes.push(outcome) },
  });
  await send(2);
  await Promise.all([send(1), send(1)]);
  await send(1);
  expect(outcomes).toEqual(['handled', 'skipped', 'duplicate', 'duplicate']);
  expect(skipped).toEqual([1]);
});

test('any text is a key, the empty one too', async () => {
  const { send, skipped } = setUp(undefined, { newestOnly: () => '' });
  for (const session of [2, 1]) await send(session);
  expect(skipped).toEqual([1]);
});

test('events of several types can be snapshots of one thing', async () => {
  const handled: string[] = [];
  const newestOnly = ({ payload }: WebhookEvent) => ('agentId' in payload ? payload.agentId : undefined);
  const { receiver, skipped } = setUp(undefined, { newestOnly });
  receiver.onAny(({ type }) => handled.push(type));
  await receiver.handle(post('agent_deleted', { createdAt: 2 }));
  await receiver.handle(post('agent_updated', { createdAt: 1 }));
  expect([handled, skipped]).toEqual([['agent_deleted'], [Number(false)]]);
});

test.each<[string, object]>([
  ['has another name', { secret: { one: secret, other: 'another-secret-0002' } }],
  ['has none, as no workspace has', { secret: undefined, verifySecret: () => true }],
])('the same conversation of a workspace that %s is another', async (_, options) => {
  const { send, handled } = setUp(undefined, options);
  await send(2);
  await send(1, { workspaceSecret: 'another-secret-0002' });
  expect(handled).toEqual([2, 1]);
  // In a worker too, which knows no secret.
  const stored: StoredWebhook[] = [];
  const inbox = { store: (webhook: StoredWebhook) => stored.push(webhook) };
  const receiving = setUp(undefined, { ...options, newestOnly: undefined, inbox });
  await receiving.send(2);
  await receiving.send(1, { workspaceSecret: 'another-secret-0002' });
  const worker = setUp();
  for (const webhook of stored) await worker.receiver.process(webhook);
  expect(worker.handled).toEqual([2, 1]);
  expect(JSON.stringify(stored)).not.toContain('secret');
});

test('a workspace whose secret is the name of another is another', async () => {
  const other = 'another-secret-0002';
  const verifySecret = (presented: string) => (presented === other ? true : { workspace: other });
  const { send, handled } = setUp(undefined, { secret: undefined, verifySecret } as object);
  await send(2);
  await send(1, { workspaceSecret: other });
  expect(handled).toEqual([2, 1]);
});

test('of two of one moment, the one whose body came to its end first is not the newer one for that', async () => {
  const clock = new ManualClock();
  const { receiver, send, handled, skipped } = setUp(undefined, { clock });
  const rest = deferred();
  const { body: text } = post('conversation_updated', { sessionId: '1', createdAt: 5 });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await rest.promise;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  const slow = receiver.fetch(new Request('http://host', init));
  await clock.advance(10);
  expect(await send(2, { createdAt: 5 })).toBe(200);
  rest.resolve();
  expect((await slow).status).toBe(200);
  expect([handled, skipped]).toEqual([[2], [1]]);
});

test('where the newest fails, the next older one is handled', async () => {
  const first = deferred();
  const { send, handled, skipped } = setUp((session) => {
    if (session === 1) return first.promise;
    if (session === 4) throw new Error('no');
  });
  const answers = [1, 4, 3, 2].map((session) => send(session));
  await settle();
  first.resolve();
  expect(await Promise.all(answers)).toEqual([200, 500, 200, 200]);
  expect([handled, skipped]).toEqual([[1, 3], [2]]);
});

test('one that waits at the deadline is answered 500, told, and handled in its turn, which lasts no longer than a delivery', async () => {
  const clock = new ManualClock();
  const begun: number[] = [];
  const ends = new Map([1, 2, 3, 4].map((session) => [session, deferred()]));
  const { send, handled, skipped, failures, logger } = setUp(
    (session) => {
      begun.push(session);
      return ends.get(session)?.promise;
    },
    { clock, deadline: 1_000 },
  );
  // Newer ones are not at hand when the older ones begin.
  const answers = [send(2)];
  await settle();
  answers.push(send(3));
  await clock.advance(999);
  expect(begun).toEqual([2]);
  await clock.advance(1);
  answers.push(send(4), send(1));
  await settle();
  expect(begun).toEqual([2, 3]);
  await clock.advance(999);
  expect(begun).toEqual([2, 3]);
  await clock.advance(1);
  expect(await Promise.all(answers)).toEqual([500, 500, 500, 500]);
  expect(begun).toEqual([2, 3, 4]);
  const waited = failures.filter(({ handler }) => handler === undefined);
  expect(waited).toMatchObject([{ stage: 'deadline', event: { payload: { sessionId: '1' } } }]);
  const warnings = () =>
    logger.lines.filter((line) =>
      /^warn .*has not settled in its turn, delivery \S{36}: the next one of its key may run beside it$/.test(
        line,
      ),
    );
  expect(warnings()).toHaveLength(2);
  // One that settles after its turn makes nothing newer old.
  for (const session of [4, 3, 2]) ends.get(session)?.resolve();
  await settle();
  expect([handled, skipped, warnings().length]).toEqual([[4, 3, 2], [1], 2]);
  await Promise.all([send(3, { turns: [1] }), send(5)]);
  expect([handled.slice(3), skipped, clock.timers.size]).toEqual([[5], [1, 3], 0]);
});

test('one that settles after its turn ends the turn of no other', async () => {
  const clock = new ManualClock();
  const begun: number[] = [];
  const ends = new Map([1, 2, 3].map((session) => [session, deferred()]));
  const handle = (session: number) => {
    begun.push(session);
    return ends.get(session)?.promise;
  };
  const { send } = setUp(handle, { clock, deadline: 1_000 });
  const answers = [send(1)];
  await settle();
  answers.push(send(2));
  await clock.advance(1_000);
  answers.push(send(3));
  await settle();
  ends.get(1)?.resolve();
  await settle();
  expect(begun).toEqual([1, 2]);
  ends.get(2)?.resolve();
  await settle();
  expect(begun).toEqual([1, 2, 3]);
  ends.get(3)?.resolve();
  expect(await Promise.all(answers)).toEqual([500, 500, 200]);
});

/** A snapshot as an inbox has stored it. */
const stored = (session: number, payload: object, age: { receivedAt?: number; sequence?: number } = {}) => ({
  key: '',
  type: 'conversation_updated',
  payload: { ...minimal.conversation_updated, sessionId: String(session), ...payload },
  deliveryId: 'delivery',
  receivedAt: 1,
  ...age,
});

test.each<[string, Age, Age, boolean]>([
  ['its createdAt', { createdAt: 2, receivedAt: 1 }, { createdAt: 1, receivedAt: 2 }, true],
  ['its receipt where it has no createdAt', { createdAt: 5, receivedAt: 2 }, { receivedAt: 1 }, true],
  ['its receipt where the other has none', { receivedAt: 2 }, { createdAt: 5, receivedAt: 1 }, true],
  ['its receipt', { receivedAt: 2, sequence: 1 }, { receivedAt: 1, sequence: 2 }, true],
  [
    'nothing, for it was received later',
    { receivedAt: 1, sequence: 2 },
    { receivedAt: 2, sequence: 1 },
    false,
  ],
  ['its place among those of one millisecond', { sequence: 2 }, { sequence: 1 }, true],
  ['nothing, for a text is no createdAt', { createdAt: 'b' }, { createdAt: 'a' }, false],
  ['nothing, as it is the same again', { sequence: 1 }, { sequence: 1 }, false],
])('a stored snapshot that comes second is older by %s', async (_, first, second, isOlder) => {
  const { receiver, handled, skipped } = setUp(undefined, { validation: 'off' });
  for (const [index, { createdAt, ...age }] of [first, second].entries()) {
    await receiver.process(stored(index + 1, { createdAt }, age));
  }
  expect([handled, skipped]).toEqual(isOlder ? [[1], [2]] : [[1, 2], []]);
});

test('the second stored snapshot of a millisecond is newer than the first, however many came before', async () => {
  const { receiver, handled, skipped } = setUp();
  for (const session of [1, 2, 3]) await receiver.process(stored(session, { convoId: String(session) }));
  // The first has no `sequence`.
  await receiver.process(stored(4, {}));
  await receiver.process(stored(5, {}, { sequence: 1 }));
  expect([handled, skipped]).toEqual([[1, 2, 3, 4, 5], []]);
});

interface Age {
  readonly createdAt?: unknown;
  readonly receivedAt?: number;
  readonly sequence?: number;
}

test('an older stored snapshot is handled where the newer one has failed', async () => {
  const { receiver, handled } = setUp((session) => session === 2 && Promise.reject(new Error('no')));
  await expect(receiver.process(stored(2, { createdAt: 2 }))).rejects.toThrow('failed');
  await receiver.process(stored(1, { createdAt: 1 }));
  expect(handled).toEqual([1]);
});

test('a stored snapshot whose signal is aborted holds up no other, and rejects where its turn had not come', async () => {
  const first = deferred();
  const { receiver, handled, skipped, failures, logger } = setUp((session) => session === 1 && first.promise);
  // Others wait before and behind the one that is given up.
  const jobs = [1, 3, 2, 0].map((session) => {
    const job = new AbortController();
    const { signal } = job;
    const webhook = { ...stored(session, { createdAt: session }), workspace: 'shop' };
    return { job, signal, ended: receiver.process(webhook, { signal }) };
  });
  const [one, three, two, zero] = jobs as [Job, Job, Job, Job];
  await settle();
  two.job.abort(new Error('the lock was lost'));
  await expect(two.ended).rejects.toMatchObject({
    type: 'webhook_error',
    retryable: true,
    message: 'The webhook conversation_updated of "shop" was given up before its turn had come.',
    cause: { message: 'the lock was lost' },
  });
  expect(failures).toMatchObject([
    { stage: 'deadline', handler: undefined, event: { type: 'conversation_updated' } },
  ]);
  // What is aborted before does not even wait.
  const another = { ...stored(5, { createdAt: 5 }), workspace: 'shop' };
  await expect(receiver.process(another, { signal: two.signal })).rejects.toThrow('before its turn');
  one.job.abort();
  await Promise.all([three.ended, zero.ended]);
  expect(handled).toEqual([3]);
  expect(logger.lines.filter((line) => line.includes('of "shop": has not settled in its turn'))).toHaveLength(
    1,
  );
  // It is waited for all the same; and what is aborted before it begins does not begin.
  first.resolve();
  await one.ended;
  const last = { ...stored(4, { createdAt: 4 }), workspace: 'shop' };
  const late = receiver.process(last, { signal: two.signal });
  await expect(late).rejects.toThrow('before its turn');
  expect([handled, skipped]).toEqual([[3, 1], [0]]);
  expect(jobs.map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], [], [], []]);
});

test('a stored snapshot whose signal is aborted just as its turn comes does not begin', async () => {
  for (let steps = 0; steps < 30; steps += 1) {
    const first = deferred();
    const job = new AbortController();
    const begun: boolean[] = [];
    const { receiver } = setUp((session) => {
      if (session === 1) return first.promise;
      begun.push(job.signal.aborted);
    });
    const older = receiver.process(stored(1, { createdAt: 1 }));
    const ended = receiver.process(stored(2, { createdAt: 2 }), { signal: job.signal });
    const settled = Promise.allSettled([older, ended]);
    await settle();
    first.resolve();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    job.abort();
    await settled;
    expect(begun).not.toContain(true);
  }
});

test('a stored snapshot that has no signal keeps its turn beyond the deadline of a delivery', async () => {
  const clock = new ManualClock();
  const first = deferred();
  const handle = (session: number) => session === 1 && first.promise;
  const { receiver, handled } = setUp(handle, { clock, deadline: 1_000 });
  const jobs = [1, 2].map((session) => receiver.process(stored(session, { createdAt: session })));
  await clock.advance(2_000);
  expect(handled).toEqual([]);
  first.resolve();
  await Promise.all(jobs);
  expect(handled).toEqual([1, 2]);
});

interface Job {
  readonly job: AbortController;
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
}

test('newestOnly is asked only about events that are known and valid', async () => {
  const asked: string[] = [];
  const { receiver } = setUp(undefined, { newestOnly: ({ type }) => void asked.push(type) });
  receiver.onUnknown(() => undefined).onInvalid(() => undefined);
  receiver.on(defineEvent('lead_scored', z.object({})), () => undefined);
  const own = post('lead_scored');
  for (const body of [
    own,
    post('agent_renamed'),
    post('lead_captured', { agentId: 7 }),
    post('lead_captured'),
  ]) {
    expect((await receiver.handle(body)).status).toBe(200);
  }
  expect(asked).toEqual(['lead_captured']);
});

test.each<[string, unknown, Error]>([
  [
    'throws',
    () => {
      throw new Error('no');
    },
    new Error('no'),
  ],
  [
    'returns a number',
    () => 1,
    new WebhookError('newestOnly returned number: it returns a string, or undefined'),
  ],
  [
    'returns null',
    () => null,
    new WebhookError('newestOnly returned object: it returns a string, or undefined'),
  ],
  [
    'rejects, which nobody else would catch,',
    () => Promise.reject(new Error('no')),
    new WebhookError('newestOnly returned object: it returns a string, or undefined'),
  ],
])('a newestOnly that %s is a 500, and told', async (_, newestOnly, expected) => {
  const { receiver, send, failures, handled, logger } = setUp(undefined, {
    newestOnly: newestOnly as () => undefined,
    logLevel: 'info',
  });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  expect(await send(1)).toBe(500);
  expect(failures).toEqual([expect.objectContaining({ stage: 'dedupe' })]);
  expect(errors).toEqual([expected]);
  expect(handled).toEqual([]);
  expect(logger.lines.at(-1)).toContain('500 internal_error');
});

test('a newestOnly that throws is told in a worker too, and no handler runs', async () => {
  const error = new Error('no');
  const newestOnly = () => {
    throw error;
  };
  const { receiver, failures, handled, logger } = setUp(undefined, { newestOnly });
  await expect(receiver.process({ ...stored(1, {}), workspace: 'shop' })).rejects.toBe(error);
  expect([failures, handled]).toMatchObject([
    [{ stage: 'dedupe', handler: undefined, event: { type: 'conversation_updated', workspace: 'shop' } }],
    [],
  ]);
  expect(logger.lines).toEqual([
    expect.stringMatching(/^error .*webhook conversation_updated of "shop": failed at dedupe with Error/),
  ]);
});

test('a newestOnly that is no function is refused', () => {
  expect(() => setUp(undefined, { newestOnly: 'convoId' as never })).toThrow(ConfigurationError);
});

test('a stored event that is skipped is told with its workspace, and ends after that', async () => {
  const { receiver, logger } = setUp(undefined, { logLevel: 'info' });
  const told: unknown[] = [];
  receiver.onSkipped(async ({ workspace }) => {
    await settle();
    told.push(workspace);
  });
  for (const createdAt of [2, 1]) {
    await receiver.process({ ...stored(createdAt, { createdAt }), workspace: 'shop' });
  }
  expect(told).toEqual(['shop']);
  expect(logger.lines).toEqual([
    expect.stringContaining(
      'webhook conversation_updated of "shop": skipped, because a newer one was handled',
    ),
  ]);
});

test.each<[what: string, createdAts: readonly unknown[], skipped: number]>([
  ['is by createdAt, of which 0 is one', [1, 0], 1],
  ['is not by a createdAt that is text', ['2', '1'], 0],
])('the age of a snapshot that is not validated %s', async (_, createdAts, count) => {
  const { send, skipped } = setUp(undefined, { validation: 'off' });
  for (const createdAt of createdAts) await send(1, { createdAt });
  expect(skipped).toHaveLength(count);
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

test('the answer waits for onSkipped: a process may end with it', async () => {
  const { receiver, send } = setUp();
  const told = deferred();
  const ended: string[] = [];
  receiver.onSkipped(async () => {
    await told.promise;
    ended.push('told');
  });
  await send(2);
  const answering = send(1).then(() => ended.push('answered'));
  await settle();
  told.resolve();
  await answering;
  expect(ended).toEqual(['told', 'answered']);
});

test('onSkipped is given the context of the delivery, and what it throws is logged by its name', async () => {
  const { receiver, send, logger } = setUp(undefined, { logLevel: 'info' });
  const contexts: unknown[] = [];
  receiver.onSkipped((_, { signal, deliveryId }) => {
    contexts.push([signal.aborted, deliveryId]);
    throw new TypeError('no');
  });
  expect([await send(2), await send(1)]).toEqual([200, 200]);
  expect(contexts).toEqual([[false, expect.any(String)]]);
  const [, line, failed, answered] = logger.lines;
  expect(line).toMatch(
    /^info .*webhook conversation_updated: skipped, because a newer one .*, delivery \S{36}$/,
  );
  expect(failed).toMatch(/the hook onSkipped failed: TypeError$/m);
  expect(answered).toMatch(/200 skipped after \d+ ms, delivery/);
});

test('an older one waits for one that is handled, however many others come meanwhile', async () => {
  const end = deferred();
  const { receiver, handled, skipped } = setUp((session) => session === 2 && end.promise, {
    validation: 'off',
  });
  const process = (session: number, convoId: string) =>
    receiver.process(stored(session, { convoId, createdAt: session }));
  const newer = process(2, 'held');
  await process(4, 'idle');
  const others = async (from: number, to: number) => {
    for (let other = from; other < to; other += 1) await process(0, String(other));
  };
  await others(0, 5);
  await process(3, 'idle');
  expect(skipped).toEqual([3]);
  // Two generations of 50 000 are full here; and one that was asked for is among the young again.
  await others(5, 99_999);
  await process(3, 'idle');
  await others(99_999, 100_009);
  await process(3, 'idle');
  expect(skipped.splice(1)).toEqual([3, 3]);
  // More than are remembered of those whose handlers have settled.
  await others(100_009, 200_019);
  await process(3, 'idle');
  expect([handled.at(-1), skipped]).toEqual([3, [3]]);
  const older = process(1, 'held');
  await settle();
  end.resolve();
  await Promise.all([newer, older]);
  expect([handled.at(-1), skipped]).toEqual([2, [3, 1]]);
});
