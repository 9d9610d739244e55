import { createHash } from 'node:crypto';
import { createMemoryDedupe, type DedupeStore, type WebhookReceiverOptions } from 'agent-platform-sdk';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { keepsNothing } from '../support/leaves-nothing.js';
import { delivery, envelope, secret } from './deliveries.js';
import { failing, fakeTime, forgetful, handling, never, pass, storing } from './receivers.js';

const other = 'another-workspace-secret';
const event = delivery('webhook_test');
const rotation = { secret: [secret, other] };
const named = { secret: { acme: secret, globex: other } };
const inAcme = () => ({ workspace: 'acme' });

beforeEach(fakeTime);

const withId = (id: string) => event.replace('"A test."', `"A test.","id":${id}`);
const besides = JSON.stringify({ sentAt: 1, ...envelope('webhook_test') });
const under = (workspaceSecret: string, message = 'long '.repeat(5_000)) =>
  delivery('webhook_test', { message, workspaceSecret });
const [mine, others] = [under(secret, `my ${secret}`), under(other, `my ${other}`)];
const long = delivery('webhook_test', { message: 'é'.repeat(20_000) });
const [created, updated] = [delivery('agent_created'), delivery('agent_updated', { operation: 'created' })];

test.each<[what: string, runs: number, first: unknown, second: unknown, options?: WebhookReceiverOptions]>([
  ['the same text', 1, event, event],
  ['a long parsed object', 1, long, JSON.parse(long)],
  ['text with a byte order mark', 1, event, `\ufeff${event}`],
  ['text under the other secret of a rotation', 1, event, under(other, 'A test.'), rotation],
  ['a text that has its secret twice', 1, mine, others, rotation],
  ['text of another secret of one name', 1, under(secret), under(other), { verifySecret: inAcme }],
  ['another type', 2, created, updated],
  ['another time', 2, event, delivery('webhook_test', { createdAt: 2 })],
  ['another field', 2, event, delivery('webhook_test', { extra: 1 })],
  ['the event of another workspace', 2, under(secret), under(other), named],
  ['the event of another secret', 2, under(secret), under(other), { verifySecret: () => true }],
  ['white space', 2, event, `${event} `],
  ['another field of the envelope', 2, event, besides],
  ['a number beyond 2^53', 2, withId('9007199254740992'), withId('9007199254740993')],
])('what follows as %s runs %i time(s) in all', async (_, runs, first, second, options) => {
  const { events, send } = handling(options);
  for (const body of [first, second]) expect(await send(body)).toEqual([200]);
  expect(events).toHaveLength(runs);
});

const payload = { message: 'm', createdAt: 1, workspaceSecret: secret };
const plainKey = 'e4c598a3a7a1099a3426c1cc427fae80503844d4d1a7b3d57904ab334a24e3a8';
const namedKey = 'cf97f27288c2978c60bf18be5cfa2a833a832c8ae4d58ad047d685aa8d22afa4';
const secretKey = '797dcb0738fa7eb7b8fa4b51fceadb87bb4ab33d3acc7dc3f4dec0ae7eb7f281';
const sent = { type: 'webhook_test', payload };
const unsupported = () => {
  throw new Error('A Node.js API is used which is not supported in the Edge Runtime.');
};

// Text, bytes and objects have one key. Receivers of two versions share a store during a deployment, and what was handled is remembered for a day.
test.each<[what: string, key: string, body: unknown, options?: WebhookReceiverOptions, process?: object]>([
  ['text', plainKey, JSON.stringify(sent)],
  ['an object', plainKey, sent],
  ['an envelope with another field', plainKey, { ...sent, version: 2 }],
  ['bytes of a named workspace', namedKey, Buffer.from(JSON.stringify(sent)), { secret: { acme: secret } }],
  ['a workspace known by its secret', secretKey, sent, { verifySecret: () => true }],
  // Not without a `process` at all, which the test runner needs.
  ['a runtime without `getBuiltinModule`', plainKey, sent, {}, {}],
  ['the Edge runtime of Next', plainKey, sent, {}, { getBuiltinModule: unsupported }],
  ['a runtime whose crypto has no `hash`', plainKey, sent, {}, { getBuiltinModule: () => ({ createHash }) }],
])(
  'the key of %s is the same in each version',
  async (_, key, body, options, process = globalThis.process) => {
    const { stored, send } = storing(options);
    vi.stubGlobal('process', process);
    onTestFinished(() => void vi.unstubAllGlobals());
    await send(body);
    expect(stored).toMatchObject([{ key }]);
  },
);

test('of a secret of seven characters, only the whole string is no part of the key; of eight, all of it', async () => {
  const { stored, send } = storing({ secret: ['1234567', 'abcdefg', '12345678', 'abcdefgh'] });
  for (const one of ['1234567', 'abcdefg', '12345678', 'abcdefgh']) await send(under(one, `my ${one}`));
  expect(new Set(stored.map(({ key }) => key)).size).toBe(3);
});

test('a duplicate waits for the first, and is a duplicate when that was handled', async () => {
  const end = deferred();
  const { events, deliveries, send } = handling({}, () => end.promise);
  const responses = [send(event), send(event)];
  await pass(2_000);
  end.resolve();
  await pass(1_000);
  expect(await Promise.all(responses)).toEqual([[200], [200]]);
  expect([events.length, deliveries.map(({ outcome }) => outcome)]).toEqual([1, ['handled', 'duplicate']]);
});

test('a waiting duplicate asks after 50 ms, then ever later, and at least each second', async () => {
  const claim = vi.fn(() => 'pending' as const);
  void handling({ dedupe: { ...forgetful, claim } }).send(event);
  const calls: number[] = [];
  for (const ms of [49, 1, 99, 1, 1_400, 1_000, 1_000]) {
    await pass(ms);
    calls.push(claim.mock.calls.length);
  }
  expect(calls).toEqual([1, 2, 2, 3, 6, 7, 8]);
});

test('a duplicate takes over if the first fails, also at another receiver with the same store', async () => {
  const dedupe = createMemoryDedupe();
  const end = deferred();
  const [first, second] = [handling({ dedupe }, () => end.promise.then(failing)), handling({ dedupe })];
  const responses = [first.send(event)];
  await pass(1);
  responses.push(second.send(event));
  await pass(1_000);
  end.resolve();
  await pass(1_000);
  expect(await Promise.all(responses)).toEqual([[500, 'handler_failed'], [200]]);
  expect(second.events).toHaveLength(1);
});

test('a handler that settles after the deadline: its duplicate is recognised', async () => {
  const end = deferred();
  const { events, send } = handling({}, () => end.promise);
  const first = send(event);
  await pass(55_000);
  expect(await first).toEqual([500, 'deadline_passed']);
  end.resolve();
  await pass(0);
  expect([await send(event), events.length, vi.getTimerCount()]).toEqual([[200], 1, 0]);
});

test('an event that nobody handles is not claimed', async () => {
  const claim = vi.fn(() => 'new' as const);
  const { send } = handling({ dedupe: { ...forgetful, claim } });
  await send(delivery('agent_deleted', { agentId: null }));
  expect(claim).not.toHaveBeenCalled();
});

test('a claim is renewed before its lease ends, for a day at most: a handler may never settle', async () => {
  const store = createMemoryDedupe();
  const claim = vi.fn(store.claim);
  void handling({ dedupe: { ...store, claim } }, never).send(event);
  await pass(9_000);
  expect(claim.mock.calls.length).toBeGreaterThan(1);
  await pass(86_391_000);
  const [key = ''] = claim.mock.calls[0] ?? [];
  expect(store.claim(key, 'another', 1)).toBe('pending');
  await pass(10_000);
  const calls = claim.mock.calls.length;
  await pass(60_000);
  expect([claim.mock.calls.length, vi.getTimerCount()]).toEqual([calls, 0]);
  const second = handling({ dedupe: store });
  expect([await second.send(event), second.events.length]).toEqual([[200], 1]);
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
  const { send } = handling({ dedupe: store }, () => end.promise.then(failing));
  const response = send(event);
  // Until a second renewal has begun.
  await pass(1_000 + 7_000);
  end.resolve();
  await pass(5_000);
  expect(await response).toEqual([500, 'handler_failed']);
  expect(calls).toEqual(['claim', 'claim', 'claim', 'release']);
});

test.each([
  [undefined, 86_400_000],
  [60_000, 60_000],
])('with a window of %s, a handled event is remembered for %i ms', async (window, ms) => {
  const { events, send } = handling({ dedupe: { window } });
  await send(event);
  await pass(ms - 1);
  await send(event);
  expect(events).toHaveLength(1);
  await pass(1);
  await send(event);
  expect(events).toHaveLength(2);
});

test('with `dedupe: false`, every duplicate runs', async () => {
  const { events, send } = handling({ dedupe: false });
  for (let index = 0; index < 3; index += 1) await send(event);
  expect(events).toHaveLength(3);
});

test('while another delivery holds the event, a store that fails does not make it run', async () => {
  const claim = vi.fn<DedupeStore['claim']>(() => 'done').mockReturnValueOnce('pending');
  claim.mockImplementationOnce(failing);
  const { events, stages, send } = handling({ dedupe: { ...forgetful, claim } });
  const response = send(event);
  await pass(1_000);
  expect([await response, events, stages()]).toEqual([[200], [], ['dedupe']]);
});

test('a store that does not respond has failed after 5 s', async () => {
  const { stages, send } = handling({ dedupe: { ...forgetful, claim: never } });
  const response = send(event);
  await pass(4_999);
  expect(stages()).toEqual([]);
  await pass(1);
  expect([await response, stages()]).toEqual([[200], ['dedupe']]);
});

test.each(dedupeStoreConformance)('the memory store keeps the rule: $name', ({ run }) =>
  expect(
    run(() => ({ store: createMemoryDedupe(), wait: async (ms) => void (await pass(ms)) })),
  ).resolves.toBeUndefined(),
);

test('the memory store remembers the last `maxKeys` events at least, and twice as many at most', () => {
  const store = createMemoryDedupe({ maxKeys: 10 });
  for (let index = 0; index < 20; index += 1) void store.complete(String(index), 'owner', 60_000);
  const isDone = (index: number) => store.claim(String(index), 'owner', 1) === 'done';
  const done = () => Array.from({ length: 30 }, (_, index) => index).filter(isDone);
  expect(done()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  for (let index = 20; index < 29; index += 1) void store.complete(String(index), 'owner', 60_000);
  expect(done()).toHaveLength(19);
});

test('the memory store keeps no claim that was completed or released', async () => {
  const store = createMemoryDedupe({ maxKeys: 1 });
  let key = 0;
  await keepsNothing(() => {
    key += 1;
    void store.claim(`done ${key}`, 'owner', 1_000);
    void store.complete(`done ${key}`, 'owner', 1_000);
    void store.claim(`free ${key}`, 'owner', 1_000);
    void store.release(`free ${key}`, 'owner');
  }, 3_000);
});
