import { getEventListeners } from 'node:events';
import {
  createMemoryDedupe,
  createWebhookReceiver,
  type DedupeStore,
  type DeliveryHookContext,
  WebhookError,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, type OptionsWithSecret, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

interface Run {
  readonly signal: AbortSignal;
  readonly succeed: () => void;
  readonly fail: () => void;
}

/** A receiver whose handler runs until the test ends it. */
function setUp(options: OptionsWithSecret = {}) {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const failures: WebhookFailure[] = [];
  const add = (more: OptionsWithSecret = {}) =>
    createWebhookReceiver({ secret, clock, logger: new RecordingLogger(), ...options, ...more })
      .onAny(
        (_, { signal }) =>
          new Promise<void>((resolve, reject) => {
            runs.push({ signal, succeed: resolve, fail: () => reject(new Error('no')) });
          }),
      )
      .onError((_, failure) => failures.push(failure));
  const receiver = add();
  /** The answer to a delivery whose handler succeeds. */
  const succeed = async (request: { method: string; body: unknown } = event()) => {
    const answer = receiver.handle(request);
    await settle();
    runs[0]?.succeed();
    return (await answer).status;
  };
  return { clock, runs, failures, add, receiver, succeed };
}

const event = () => post('lead_captured');

test('a copy of a handled event is answered 200, and runs nothing', async () => {
  const { receiver, runs, succeed } = setUp();
  expect(await succeed()).toBe(200);
  expect((await receiver.handle(event())).status).toBe(200);
  expect(runs).toHaveLength(1);
});

test.each<[string, unknown]>([
  ['bytes', new TextEncoder().encode(delivery('form_submitted'))],
  ['a parsed object', envelope('form_submitted')],
  ['text with a byte order mark', `\ufeff${delivery('form_submitted')}`],
  ['text that tells when it was sent', JSON.stringify({ ...envelope('form_submitted'), sentAt: 1 })],
  ['an object that tells when it was sent', { sentAt: 2, ...envelope('form_submitted') }],
  [
    'text that begins with the payload',
    JSON.stringify({ payload: envelope('form_submitted').payload, type: 'form_submitted' }),
  ],
])('a copy is recognised when it comes as %s', async (_, body) => {
  const { receiver, runs, succeed } = setUp();
  await succeed(post('form_submitted'));
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  expect(runs).toHaveLength(1);
});

test('a store can be given in place of options', async () => {
  const store = createMemoryDedupe();
  const first = setUp({ dedupe: store });
  const second = setUp({ dedupe: store });
  await first.succeed(post('form_submitted'));
  expect((await second.receiver.handle(post('form_submitted'))).status).toBe(200);
  expect(second.runs).toHaveLength(0);
});

test('a copy under the other secret of a rotation is recognised', async () => {
  const { receiver, runs, succeed } = setUp({ secret: [secret, 'another-secret'] });
  await succeed(post('form_submitted'));
  const body = delivery('form_submitted', { workspaceSecret: 'another-secret' });
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  expect(runs).toHaveLength(1);
});

test('a field that holds the text of the secret makes another event than an empty one', async () => {
  const { receiver, runs } = setUp();
  void receiver.handle({ method: 'POST', body: delivery('agent_created', { agentName: secret }) });
  void receiver.handle({ method: 'POST', body: delivery('agent_created', { agentName: '' }) });
  await settle();
  expect(runs).toHaveLength(2);
});

test('long events that differ behind a field that repeats the secret are two', async () => {
  const { receiver, runs } = setUp();
  const long = 'x'.repeat(20_000);
  for (const last of ['one', 'other']) {
    const extra = { before: long, copy: secret, behind: secret, last };
    void receiver.handle({ method: 'POST', body: delivery('agent_created', extra) });
  }
  await settle();
  expect(runs).toHaveLength(2);
});

test('short secrets of a rotation that stand in the numbers of two events do not make them one', async () => {
  const { receiver, runs } = setUp({ secret: ['2025', '2026'] });
  for (const number of [2025, 2026]) {
    const body = delivery('agent_created', { workspaceSecret: String(number), createdAt: number });
    void receiver.handle({ method: 'POST', body });
  }
  await settle();
  expect(runs).toHaveLength(2);
});

test.each<[string, unknown]>([
  ['type', post('agent_updated').body],
  ['createdAt', delivery('agent_created', { createdAt: 2 })],
  ['a field', delivery('agent_created', { agentName: 'Other' })],
  ['a field that the document does not list', delivery('agent_created', { extra: 1 })],
  ['workspace', delivery('agent_created', { workspaceSecret: 'another-secret' })],
])('an event that differs in %s is another event', async (_, body) => {
  const { receiver, runs } = setUp({ secret: { acme: secret, globex: 'another-secret' } });
  void receiver.handle(post('agent_created'));
  void receiver.handle({ method: 'POST', body });
  await settle();
  expect(runs).toHaveLength(2);
});

test('events that differ in a digit beyond what a number of JavaScript holds are two', async () => {
  const { receiver, runs } = setUp();
  for (const id of ['9007199254740992', '9007199254740993']) {
    const body = delivery('agent_created').replace('"agentId"', `"id":${id},"agentId"`);
    void receiver.handle({ method: 'POST', body });
  }
  await settle();
  expect(runs).toHaveLength(2);
});

test.each([
  ['does not name are told apart by their secrets', true, 2],
  ['names are not told apart by their secrets', { workspace: 'acme' }, 1],
] as const)('workspaces that a look-up %s', async (_, answer, count) => {
  const runs: unknown[] = [];
  const receiver = createWebhookReceiver({ verifySecret: () => answer, logger: new RecordingLogger() });
  receiver.onAny((one) => runs.push(one));
  for (const workspaceSecret of [secret, 'another-secret', secret]) {
    expect((await receiver.handle(post('lead_captured', { workspaceSecret }))).status).toBe(200);
  }
  expect(runs).toHaveLength(count);
});

test.each([
  ['handled', 'succeed', 200],
  ['failed', 'fail', 500],
] as const)(
  'two copies at one moment run once, and both answer when the first has %s',
  async (word, end, status) => {
    const outcomes: string[] = [];
    const hooks = { onDelivery: ({ outcome }: DeliveryHookContext) => void outcomes.push(outcome) };
    const { receiver, runs } = setUp({ hooks });
    const answers: number[] = [];
    const both = [event(), event()].map(async (request) =>
      answers.push((await receiver.handle(request)).status),
    );
    await settle();
    expect([runs.length, answers]).toEqual([1, []]);
    runs[0]?.[end]();
    await Promise.all(both);
    expect([runs.length, answers]).toEqual([1, [status, status]]);
    expect(outcomes).toEqual(
      word === 'handled' ? ['handled', 'duplicate'] : ['handler_failed', 'handler_failed'],
    );
  },
);

test('after a failure, the next copy runs again', async () => {
  const { receiver, runs } = setUp();
  const first = receiver.handle(event());
  await settle();
  runs[0]?.fail();
  await first;
  const second = receiver.handle(event());
  await settle();
  runs[1]?.succeed();
  expect((await second).status).toBe(200);
});

test('a copy whose first does not end is answered 503 at its own deadline', async () => {
  const told: unknown[] = [];
  const hooks = {
    onDelivery: ({ outcome, duplicate }: DeliveryHookContext) => void told.push([outcome, duplicate]),
  };
  const { receiver, clock, failures } = setUp({ hooks });
  const first = receiver.handle(event());
  await clock.advance(10_000);
  const second = receiver.handle(event());
  await clock.advance(45_000);
  expect((await first).status).toBe(500);
  await clock.advance(10_000);
  const { status, body } = await second;
  expect([status, JSON.parse(body)]).toEqual([503, { message: expect.any(String), code: 'copy_pending' }]);
  expect(told).toEqual([
    ['deadline_passed', false],
    ['copy_pending', false],
  ]);
  // Of the first alone: that a copy has waited is no failure.
  expect(failures).toEqual([expect.objectContaining({ stage: 'deadline', handler: expect.any(Function) })]);
});

test.each([
  ['succeed', 1],
  ['fail', 2],
] as const)('handlers that %s after the deadline decide about the next copy', async (end, expected) => {
  const { receiver, clock, runs } = setUp();
  const first = receiver.handle(event());
  await clock.advance(200_000);
  expect((await first).status).toBe(500);
  runs[0]?.[end]();
  await settle();
  void receiver.handle(event());
  await settle();
  expect(runs).toHaveLength(expected);
});

test('a claim is renewed until the handlers settle, so that no other receiver runs the event meanwhile', async () => {
  const clock = new ManualClock();
  const { add, runs } = setUp({ clock, dedupe: { store: createMemoryDedupe({ clock }) } });
  void add().handle(event());
  await clock.advance(500_000);
  void add().handle(event());
  await clock.advance(1_000);
  expect(runs).toHaveLength(1);
  runs[0]?.succeed();
  await settle();
  await clock.advance(60_000);
  expect(clock.timers.size).toBe(0);
});

test('a renewal that fails loses no claim: the next one comes before the end of the lease', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  let claims = 0;
  const claim: DedupeStore['claim'] = (...asked) => {
    claims += 1;
    if (claims === 2) throw new Error('an answer was lost');
    return claims === 3 ? ('OK' as never) : memory.claim(...asked);
  };
  const { add, runs, failures } = setUp({ clock, dedupe: { store: { ...memory, claim } } });
  void add().handle(event());
  await clock.advance(10_500);
  const failed = { stage: 'dedupe', event: { type: 'lead_captured' } };
  expect(failures).toMatchObject([failed, failed]);
  void add().handle(event());
  await clock.advance(100);
  expect(runs).toHaveLength(1);
});

test.each([
  ['a day at most, however short the window is', 100, 24],
  ['as long as the window, where that is longer than a day', 48 * 3_600_000, 48],
])('a claim is renewed for %s', async (_, window, hours) => {
  const hour = 3_600_000;
  const { receiver, clock } = setUp({ dedupe: { window, lease: 3 * hour } });
  void receiver.handle(event());
  await clock.advance((hours - 1) * hour);
  expect(clock.timers.size).toBe(1);
  await clock.advance(2 * hour);
  expect(clock.timers.size).toBe(0);
});

test('two receivers with one store handle an event once, and the second answers when the first is done', async () => {
  const clock = new ManualClock();
  const { add, runs } = setUp({ clock, dedupe: { store: createMemoryDedupe({ clock }) } });
  const answers: number[] = [];
  const both = [add(), add()].map(async (receiver) => answers.push((await receiver.handle(event())).status));
  await clock.advance(20_000);
  expect([runs.length, answers]).toEqual([1, []]);
  runs[0]?.succeed();
  await clock.advance(1_000);
  await Promise.all(both);
  expect([runs.length, answers]).toEqual([1, [200, 200]]);
});

test('a copy that waits for another receiver is answered 503 at its deadline, and asks no more', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  const claimants: string[] = [];
  const store: DedupeStore = {
    ...memory,
    claim: (key, owner, leaseMs) => {
      claimants.push(owner);
      return memory.claim(key, owner, leaseMs);
    },
  };
  const { add } = setUp({ clock, dedupe: { store } });
  void add().handle(event());
  await settle();
  const copy = add().handle(event());
  await clock.advance(55_000);
  expect((await copy).status).toBe(503);
  const [first] = claimants;
  const asked = claimants.length;
  // Less often the longer it waits: once in a second at last.
  expect(asked).toBeLessThan(100);
  await clock.advance(10_000);
  expect(claimants.slice(asked).filter((owner) => owner !== first)).toEqual([]);
});

test('a copy at another receiver takes over after a failure', async () => {
  const clock = new ManualClock();
  const { add, runs } = setUp({ clock, dedupe: { store: createMemoryDedupe({ clock }) } });
  const first = add().handle(event());
  await settle();
  const second = add().handle(event());
  await settle();
  runs[0]?.fail();
  // It asks soon, as long as it has not waited for long.
  await clock.advance(50);
  runs[1]?.succeed();
  expect([(await first).status, (await second).status]).toEqual([500, 200]);
});

test('the claim of a process that died runs out, and a waiting copy takes over', async () => {
  const clock = new ManualClock();
  const store = createMemoryDedupe({ clock });
  const claims: string[] = [];
  const recording: DedupeStore = {
    ...store,
    claim: (key, owner, leaseMs) => {
      // Whoever comes first is another process, which dies at once.
      if (claims.push(key) === 1) void store.claim(key, 'dead', leaseMs);
      return store.claim(key, owner, leaseMs);
    },
  };
  const { receiver, runs } = setUp({ clock, dedupe: { store: recording } });
  const answer = receiver.handle(event());
  await clock.advance(9_900);
  expect(runs).toHaveLength(0);
  await clock.advance(1_000);
  const [run] = runs;
  expect(run === undefined ? undefined : getEventListeners(run.signal, 'abort')).toEqual([]);
  run?.succeed();
  expect((await answer).status).toBe(200);
});

test.each([
  ['a day, by default', undefined, 86_400_000],
  ['the window', { window: 1_000 }, 1_000],
] as const)('a handled event is remembered for %s', async (_, dedupe, ms) => {
  const { receiver, clock, runs, succeed } = setUp({ dedupe });
  await succeed();
  await clock.advance(ms - 1);
  expect((await receiver.handle(event())).status).toBe(200);
  await clock.advance(1);
  void receiver.handle(event());
  await settle();
  expect(runs).toHaveLength(2);
});

test('with dedupe off, every copy runs', async () => {
  const { receiver, runs } = setUp({ dedupe: false });
  void receiver.handle(event());
  void receiver.handle(event());
  await settle();
  expect(runs).toHaveLength(2);
});

const down = () => Promise.reject(new Error('store down'));

test('an event is handled though the store cannot be asked, and that is reported', async () => {
  const { receiver, runs, failures } = setUp({
    dedupe: { store: { claim: down, complete: down, release: down } },
  });
  const both = [receiver.handle(event()), receiver.handle(event())];
  await settle();
  runs[0]?.succeed();
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  // Neither the claim nor the end of the event could be written.
  const told = { stage: 'dedupe', event: { type: 'lead_captured' } };
  expect([runs.length, failures]).toMatchObject([1, [told, told]]);
});

test.each([
  ['is a duplicate once it was handled', 'succeed', 1, false],
  ['runs again once its handler has failed', 'fail', 2, false],
  ['is a duplicate where the answer alone was lost', 'succeed', 1, true],
  ['runs again where the answer alone was lost, and its handler has failed', 'fail', 2, true],
] as const)(
  'a copy of an event that was handled while the store failed %s',
  async (_, end, expected, isTaken) => {
    const memory = createMemoryDedupe();
    let claims = 0;
    const claim: DedupeStore['claim'] = (...asked) => {
      claims += 1;
      const answer = claims > 1 || isTaken ? memory.claim(...asked) : undefined;
      if (answer === undefined || claims === 1) throw new Error('an answer was lost');
      return answer;
    };
    const { receiver, runs, failures } = setUp({ dedupe: { store: { ...memory, claim } } });
    const first = receiver.handle(event());
    await settle();
    runs[0]?.[end]();
    await first;
    const copy = receiver.handle(event());
    await settle();
    runs[1]?.succeed();
    expect([(await copy).status, runs.length]).toEqual([200, expected]);
    expect(failures.filter(({ stage }) => stage === 'dedupe')).toHaveLength(1);
  },
);

test('an event is refused when the store cannot be asked, where that was chosen', async () => {
  const downAtOnce = () => {
    throw new Error('store down');
  };
  for (const claim of [down, downAtOnce]) {
    const store = { claim, complete: down, release: down };
    const { receiver, runs } = setUp({ dedupe: { store, ifUnavailable: 'refuse' } });
    const { status, body } = await receiver.handle(event());
    expect([status, JSON.parse(body)]).toMatchObject([500, { code: 'dedupe_unavailable' }]);
    expect(runs).toHaveLength(0);
  }
});

test.each([
  ['handle', 1],
  ['refuse', 0],
] as const)('a store that hangs has failed after five seconds: %s', async (ifUnavailable, count) => {
  const never = () => new Promise<never>(() => undefined);
  const store = { claim: never, complete: never, release: never };
  const { receiver, clock, runs, failures } = setUp({ dedupe: { store, ifUnavailable } });
  const answer = receiver.handle(event());
  await clock.advance(4_999);
  expect([runs.length, failures]).toEqual([0, []]);
  await clock.advance(1);
  expect([runs.length, failures]).toMatchObject([
    count,
    [{ stage: 'dedupe', event: { type: 'lead_captured' } }],
  ]);
  runs[0]?.succeed();
  // Nor is the end of the event waited for any longer.
  await clock.advance(5_000);
  expect([(await answer).status, clock.timers.size]).toEqual([count === 1 ? 200 : 500, 0]);
});

test.each([undefined, null, true, 'OK'])(
  'a store that answers %j to a claim has failed: the event is handled, and that is reported',
  async (answer) => {
    for (const claim of [() => answer as never, async () => answer as never]) {
      const { receiver, failures, succeed } = setUp({
        dedupe: { store: { ...createMemoryDedupe(), claim } },
      });
      const errors: unknown[] = [];
      receiver.onError((error) => errors.push(error));
      expect(await succeed()).toBe(200);
      expect(failures).toMatchObject([{ stage: 'dedupe' }]);
      const message = "The dedupe store must answer a claim by 'new', 'pending' or 'done'.";
      expect(errors).toEqual([new WebhookError(message)]);
    }
  },
);

test('a store may answer by whatever can be awaited, such as the query of a database library', async () => {
  const memory = createMemoryDedupe();
  const claim: DedupeStore['claim'] = (...asked) => {
    // biome-ignore lint/suspicious/noThenProperty: a query builder runs when it is awaited.
    return { then: (resolve: (claimed: unknown) => void) => resolve(memory.claim(...asked)) } as never;
  };
  const { failures, succeed } = setUp({ dedupe: { store: { ...memory, claim } } });
  expect([await succeed(), await succeed(), failures]).toEqual([200, 200, []]);
});

test('a store that answers in time leaves no timer', async () => {
  const memory = createMemoryDedupe();
  const store: DedupeStore = {
    claim: async (...claim) => memory.claim(...claim),
    complete: async (...completed) => memory.complete(...completed),
    release: async (...released) => memory.release(...released),
  };
  const { clock, succeed } = setUp({ dedupe: { store } });
  expect(await succeed()).toBe(200);
  expect(clock.timers.size).toBe(0);
});

test('the time that a store has can be chosen, and holds for each of its answers', async () => {
  const never = () => new Promise<never>(() => undefined);
  const store = { claim: async () => 'new' as const, complete: never, release: never };
  const { receiver, clock, runs, failures } = setUp({ dedupe: { store, timeout: 100 } });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  const answer = receiver.handle(event());
  await settle();
  runs[0]?.succeed();
  await clock.advance(100);
  expect([(await answer).status, failures]).toMatchObject([200, [{ stage: 'dedupe' }]]);
  expect(errors).toEqual([new WebhookError('The dedupe store has not answered within 100 ms.')]);
  expect(clock.timers.size).toBe(0);
});

test('a renewal that is under way does not claim again what was given up', async () => {
  const clock = new ManualClock();
  const memory = createMemoryDedupe({ clock });
  let claims = 0;
  const renewal = deferred();
  const store: DedupeStore = {
    ...memory,
    claim: async (key, owner, leaseMs) => {
      claims += 1;
      if (claims === 2) await renewal.promise;
      return memory.claim(key, owner, leaseMs);
    },
  };
  const { receiver, runs } = setUp({ clock, dedupe: { store } });
  const first = receiver.handle(event());
  await clock.advance(4_000);
  expect(claims).toBe(2);
  runs[0]?.fail();
  await settle();
  renewal.resolve();
  expect((await first).status).toBe(500);
  void receiver.handle(event());
  await settle();
  expect(runs).toHaveLength(2);
});

test.each([5_000, 100_000])(
  'an event that is nested %i levels deep is recognised in every form',
  async (levels) => {
    const { receiver, runs } = setUp();
    const body = delivery('webhook_test', { deep: 'HERE' }).replace(
      '"HERE"',
      `${'[{"a\\"b":'.repeat(levels)}[1,null,"b"]${'}]'.repeat(levels)}`,
    );
    const first = receiver.handle({ method: 'POST', body });
    await expect.poll(() => runs.length).toBe(1);
    runs[0]?.succeed();
    expect((await first).status).toBe(200);
    expect((await receiver.handle({ method: 'POST', body: JSON.parse(body) })).status).toBe(200);
    expect(runs).toHaveLength(1);
  },
);

const cycle: Record<string, unknown> = {};
cycle.itself = cycle;

test.each([
  ['a BigInt', 1n],
  ['an object that holds itself', cycle],
])('an object with %s, of which no key can be made, is answered 500, and reported', async (_, extra) => {
  const body = envelope('lead_captured', { extra });
  const inbox = { store: () => expect.unreachable() };
  for (const [stage, options] of [['dedupe', {}] as const, ['inbox', { inbox }] as const]) {
    const { receiver, failures } = setUp(options);
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(500);
    expect(failures).toMatchObject([{ stage, event: { type: 'lead_captured' } }]);
  }
});
