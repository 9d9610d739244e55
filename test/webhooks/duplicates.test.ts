import { createHash } from 'node:crypto';
import {
  createMemoryDedupe,
  createWebhookReceiver,
  type DedupeStore,
  type StoredWebhook,
  type WebhookFailure,
  type WebhookReceiverOptions,
  type WebhookSecretOptions,
} from 'agent-platform-sdk';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { codeOf, delivery, envelope, post, secret } from './deliveries.js';

const other = 'another-workspace-secret';
const never = () => new Promise<never>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A receiver whose handler counts its runs, and succeeds, fails or waits as asked. */
function setUp(options: WebhookReceiverOptions = {}, run: () => unknown = () => undefined) {
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const counts = { runs: 0 };
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger(), ...options })
    .onAny(() => {
      counts.runs += 1;
      return run();
    })
    .onError((error, failure) => failures.push([error, failure]));
  const send = (body: unknown) => receiver.handle({ method: 'POST', body });
  return { receiver, counts, failures, send };
}

test.each<[string, unknown]>([
  ['the same text', delivery('form_submitted')],
  ['bytes', new TextEncoder().encode(delivery('form_submitted'))],
  ['a parsed object', envelope('form_submitted')],
  ['text with a byte order mark', `\ufeff${delivery('form_submitted')}`],
  ['an object with another field in its envelope', { sentAt: 2, ...envelope('form_submitted') }],
  ['text under the other secret of a rotation', delivery('form_submitted', { workspaceSecret: other })],
])('a duplicate that comes as %s: 200, and nothing runs', async (_, body) => {
  const { counts, send } = setUp({ secret: [secret, other] });
  expect(codeOf(await send(delivery('form_submitted')))).toEqual([200]);
  expect(codeOf(await send(body))).toEqual([200]);
  expect(counts.runs).toBe(1);
});

test('events with another envelope that differ above 2^53 are two: the key is made from their text', async () => {
  const { counts, send } = setUp();
  const withField = JSON.stringify({ ...envelope('webhook_test'), sentAt: 1 });
  for (const id of ['9007199254740992', '9007199254740993']) {
    await send(withField.replace('"message":', `"id":${id},"message":`));
  }
  expect(counts.runs).toBe(2);
});

test('a secret that appears twice in a text is no part of the event', async () => {
  const { counts, send } = setUp({ secret: [secret, other] });
  for (const message of ['short', 'long '.repeat(5_000)]) {
    for (const workspaceSecret of [secret, other]) {
      await send(delivery('webhook_test', { message: message + workspaceSecret, workspaceSecret }));
    }
  }
  expect(counts.runs).toBe(2);
});

test.each<[string, unknown]>([
  ['type', delivery('agent_updated', { operation: 'created' })],
  ['createdAt', delivery('agent_created', { createdAt: 2 })],
  ['a field', delivery('agent_created', { agentName: 'Other' })],
  ['an unknown field', delivery('agent_created', { extra: 1 })],
  ['workspace', delivery('agent_created', { workspaceSecret: other })],
  ['white space', `${delivery('agent_created')} `],
  ['another field of the envelope', JSON.stringify({ ...envelope('agent_created'), sentAt: 1 })],
])('events that differ in %s are two', async (_, body) => {
  const { counts, send } = setUp({ secret: { acme: secret, globex: other } });
  await send(delivery('agent_created'));
  await send(body);
  expect(counts.runs).toBe(2);
});

test('events that differ beyond the precision of a number are two', async () => {
  const { counts, send } = setUp();
  for (const digit of ['0', '1']) {
    await send(delivery('webhook_test').replace('"A test."', `"A test.","id":1234567890123456789${digit}`));
  }
  expect(counts.runs).toBe(2);
});

test.each<[string, boolean | { workspace: string }, number]>([
  ['true: secrets are workspaces', true, 2],
  ['a name: secrets do not matter', { workspace: 'acme' }, 1],
])('verifySecret returns %s', async (_, result, runs) => {
  const { counts, send } = setUp({ secret: undefined, verifySecret: () => result });
  for (const workspaceSecret of [secret, other]) await send(delivery('webhook_test', { workspaceSecret }));
  expect(counts.runs).toBe(runs);
});

const payload = { message: 'm', createdAt: 1, workspaceSecret: secret };
const body = { type: 'webhook_test', payload };
const plainKey = 'e4c598a3a7a1099a3426c1cc427fae80503844d4d1a7b3d57904ab334a24e3a8';

// Receivers of two versions share a store during a deployment, and what was handled is remembered for a day.
test.each<[what: string, options: WebhookSecretOptions, body: unknown, key: string]>([
  ['text', { secret }, JSON.stringify(body), plainKey],
  ['an object', { secret }, body, plainKey],
  ['an envelope with another field', { secret }, { ...body, version: 2 }, plainKey],
  [
    'bytes of a named workspace',
    { secret: { acme: secret } },
    new TextEncoder().encode(JSON.stringify(body)),
    'cf97f27288c2978c60bf18be5cfa2a833a832c8ae4d58ad047d685aa8d22afa4',
  ],
  [
    'a workspace known by its secret',
    { verifySecret: () => true },
    body,
    '797dcb0738fa7eb7b8fa4b51fceadb87bb4ab33d3acc7dc3f4dec0ae7eb7f281',
  ],
])('the key of %s is the same in each version', async (_, options, sent, key) => {
  const stored: StoredWebhook[] = [];
  const inbox = { store: async (webhook: StoredWebhook) => stored.push(webhook) };
  await createWebhookReceiver({ ...options, inbox, logLevel: 'off' }).handle({ method: 'POST', body: sent });
  expect(stored).toMatchObject([{ key }]);
});

test.each<[string, unknown]>([
  // Not without a `process` at all, which the test runner needs.
  ['without `getBuiltinModule`', {}],
  ['whose crypto has no `hash`', { getBuiltinModule: () => ({ createHash }) }],
])('the key is the same in a runtime %s', async (_, process) => {
  const keys: string[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).onAny((_event, { eventKey }) => {
    keys.push(eventKey);
  });
  vi.stubGlobal('process', process);
  onTestFinished(() => void vi.unstubAllGlobals());
  await receiver.handle({ method: 'POST', body });
  expect(keys).toEqual([plainKey]);
});

test('a long text has the key of its parsed object', async () => {
  const { counts, send } = setUp();
  const long = delivery('webhook_test', { message: 'é'.repeat(20_000) });
  await send(long);
  await send(JSON.parse(long));
  expect(counts.runs).toBe(1);
});

test('a duplicate waits for the first, and is a duplicate when that was handled', async () => {
  const end = deferred();
  const { counts, send } = setUp({}, () => end.promise);
  const first = send(delivery('webhook_test'));
  const second = send(delivery('webhook_test'));
  await pass(2_000);
  end.resolve();
  await pass(1_000);
  expect([codeOf(await first), codeOf(await second), counts.runs]).toEqual([[200], [200], 1]);
});

test.each(['of the same receiver', 'of another one'])(
  'a duplicate %s takes over if the first fails',
  async (which) => {
    const store = createMemoryDedupe();
    const end = deferred();
    const first = setUp({ dedupe: store }, async () => {
      await end.promise;
      if (first.counts.runs === 1) throw new Error('no');
    });
    const second = which === 'of another one' ? setUp({ dedupe: store }) : first;
    const responses = [first.send(delivery('webhook_test'))];
    await pass(1);
    responses.push(second.send(delivery('webhook_test')));
    await pass(1_000);
    end.resolve();
    await pass(1_000);
    expect((await Promise.all(responses)).map(codeOf)).toEqual([[500, 'handler_failed'], [200]]);
    expect(first.counts.runs + (second === first ? 0 : second.counts.runs)).toBe(2);
  },
);

test('a duplicate whose first does not end: 503 at its own deadline, and no report', async () => {
  const { counts, failures, send } = setUp({}, never);
  void send(delivery('webhook_test'));
  await pass(1_000);
  const second = send(delivery('webhook_test'));
  await pass(55_000);
  expect(codeOf(await second)).toEqual([503, 'duplicate_pending']);
  expect([counts.runs, failures.map(([, { stage }]) => stage)]).toEqual([1, ['deadline']]);
});

test('after a failure, the next duplicate runs again', async () => {
  let fails = true;
  const { counts, send } = setUp({}, () => (fails ? Promise.reject(new Error('no')) : undefined));
  expect((await send(delivery('webhook_test'))).status).toBe(500);
  fails = false;
  expect((await send(delivery('webhook_test'))).status).toBe(200);
  expect((await send(delivery('webhook_test'))).status).toBe(200);
  expect(counts.runs).toBe(2);
});

test('a handler that settles after the deadline: its duplicate is recognised', async () => {
  const end = deferred();
  const { counts, send } = setUp({}, () => end.promise);
  const first = send(delivery('webhook_test'));
  await pass(55_000);
  expect((await first).status).toBe(500);
  end.resolve();
  await pass(0);
  expect([(await send(delivery('webhook_test'))).status, counts.runs]).toEqual([200, 1]);
});

/** A receiver whose handler never settles, and whether another may claim the event. */
async function setUpClaimed() {
  const store = createMemoryDedupe();
  const claim = vi.fn(store.claim);
  void setUp({ dedupe: { store: { ...store, claim } } }, never).send(delivery('webhook_test'));
  await pass(0);
  const [key = ''] = claim.mock.calls[0] ?? [];
  return { store, claim, claimByAnother: () => store.claim(key, 'another', 1) };
}

test('a claim is renewed while handlers run: it never expires', async () => {
  const { claim, claimByAnother } = await setUpClaimed();
  await pass(9_000);
  // Before the lease of ten seconds has ended.
  expect(claim.mock.calls.length).toBeGreaterThan(1);
  await pass(51_000);
  expect(claimByAnother()).toBe('pending');
});

test('a claim is released after a renewal that is in progress', async () => {
  const calls: string[] = [];
  const claim = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    calls.push('claim');
    return 'new' as const;
  };
  const store: DedupeStore = { ...forgetful, claim, release: () => void calls.push('release') };
  const end = deferred();
  const { send } = setUp({ dedupe: store }, async () => {
    await end.promise;
    throw new Error('no');
  });
  const responding = send(delivery('webhook_test'));
  // Until a second renewal has begun.
  await pass(1_000 + 7_000);
  end.resolve();
  await pass(5_000);
  expect(codeOf(await responding)).toEqual([500, 'handler_failed']);
  expect(calls).toEqual(['claim', 'claim', 'claim', 'release']);
});

test('a claim is renewed for a day at most: a handler that never settles does not keep it', async () => {
  const { store, claim, claimByAnother } = await setUpClaimed();
  await pass(86_400_000);
  expect(claimByAnother()).toBe('pending');
  await pass(10_000);
  const calls = claim.mock.calls.length;
  await pass(60_000);
  expect(claim.mock.calls).toHaveLength(calls);
  const second = setUp({ dedupe: store });
  expect([(await second.send(delivery('webhook_test'))).status, second.counts.runs]).toEqual([200, 1]);
});

test('a handled event is remembered for 24 hours, or for the window', async () => {
  for (const [window, ms] of [
    [undefined, 86_400_000],
    [60_000, 60_000],
  ] as const) {
    const { counts, send } = setUp({ dedupe: { window } });
    await send(delivery('webhook_test'));
    await pass(ms - 1);
    await send(delivery('webhook_test'));
    expect(counts.runs).toBe(1);
    await pass(1);
    await send(delivery('webhook_test'));
    expect(counts.runs).toBe(2);
  }
});

test('with `dedupe: false`, every duplicate runs', async () => {
  const { counts, send } = setUp({ dedupe: false });
  for (let index = 0; index < 3; index += 1) await send(delivery('webhook_test'));
  expect(counts.runs).toBe(3);
});

const fail = () => Promise.reject(new Error('the store is away'));
const forgetful: DedupeStore = { claim: () => 'new', complete: () => undefined, release: () => undefined };

test.each<[string, Partial<DedupeStore>]>([
  ['fails to claim', { claim: fail }],
  [
    'throws',
    {
      claim: () => {
        throw new Error('the store is away');
      },
    },
  ],
  ['hangs', { claim: never }],
  ['returns nonsense', { claim: () => 'OK' as 'new' }],
  ['fails to complete', { complete: fail }],
  ['hangs at the end', { complete: never }],
])('a store that %s: the event is handled, and onError is called', async (_, store) => {
  const { counts, failures, send } = setUp({ dedupe: { ...forgetful, ...store } });
  const responding = send(delivery('webhook_test'));
  await pass(10_000);
  expect([codeOf(await responding), counts.runs]).toEqual([[200], 1]);
  expect(failures).toMatchObject([[expect.any(Error), { stage: 'dedupe', event: { type: 'webhook_test' } }]]);
});

test('while another delivery holds the event, a store that fails does not make it run', async () => {
  const results = ['pending', 'fails', 'done'];
  const claim = async () => {
    const result = results.shift();
    return result === 'fails' ? fail() : (result as 'pending');
  };
  const { counts, failures, send } = setUp({ dedupe: { ...forgetful, claim } });
  const responding = send(delivery('webhook_test'));
  await pass(1_000);
  expect([codeOf(await responding), counts.runs, failures.length]).toEqual([[200], 0, 1]);
});

test('an object nested so deep that it has no key: 500, and onError is called', async () => {
  const { failures, send } = setUp();
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown;
  expect(codeOf(await send(envelope('webhook_test', { deep })))).toEqual([500, 'internal_error']);
  expect(failures).toMatchObject([[expect.any(RangeError), { stage: 'dedupe' }]]);
  expect(codeOf(await send(JSON.stringify(envelope('webhook_test'))))).toEqual([200]);
});

test.each(dedupeStoreConformance)('the memory store keeps the rule: $name', ({ run }) =>
  expect(
    run(() => ({ store: createMemoryDedupe(), wait: async (ms) => void (await pass(ms)) })),
  ).resolves.toBeUndefined(),
);

test('the memory store remembers the last `maxKeys` events at least, and twice as many at most', () => {
  const store = createMemoryDedupe({ maxKeys: 10 });
  for (let index = 0; index < 100; index += 1) void store.complete(String(index), 'owner', 60_000);
  const done = Array.from({ length: 100 }, (_, index) => store.claim(String(index), 'owner', 1) === 'done');
  expect(done.slice(90)).not.toContain(false);
  expect(done.filter(Boolean).length).toBeLessThanOrEqual(20);
});

test.each([{ maxKeys: 0 }, { maxKeys: Number.NaN }, { maxkeys: 1 }])(
  'the memory store refuses the options %j',
  (options) => {
    expect(() => createMemoryDedupe(options)).toThrow(/createMemoryDedupe: /);
  },
);

test('onDelivery gets the outcome of a duplicate', async () => {
  const outcomes: string[] = [];
  const hooks = { onDelivery: ({ outcome }: { outcome: string }) => outcomes.push(outcome) };
  const { receiver } = setUp({ hooks });
  for (let index = 0; index < 2; index += 1) await receiver.handle(post('webhook_test'));
  expect(outcomes).toEqual(['handled', 'duplicate']);
});
