import {
  parseWebhookRequest,
  type WebhookReceiverOptions,
  type WebhookSecretLoader,
  type WebhookSecretVerifier,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, secret } from './deliveries.js';
import { fakeTime, handling, pass } from './receivers.js';

const SECONDS = 1_000;
const MINUTES = 60_000;
const rotated = 'test-workspace-secret-0002';
const authentic = delivery('webhook_test');
const forged = delivery('webhook_test', { workspaceSecret: 'forged' });
const afterRotation = delivery('webhook_test', { workspaceSecret: rotated });
const later = <Value>(value: Value, ms: number) =>
  new Promise<Value>((resolve) => setTimeout(() => resolve(value), ms));

beforeEach(fakeTime);

function setUp(options: WebhookReceiverOptions) {
  const { send, events, ...made } = handling({ dedupe: false, ...options });
  const statusOf = async (body: unknown) => (await send(body))[0];
  return { ...made, statusOf, workspaces: () => events.map(({ workspace }) => workspace) };
}

/** A receiver with a loader that counts its calls, and whose result can be changed. */
function vault(options: WebhookReceiverOptions = {}) {
  const state: { result: () => unknown; loads: number } = { result: () => secret, loads: 0 };
  const load = async () => {
    state.loads += 1;
    return (await state.result()) as string;
  };
  return { state, load, ...setUp({ secret: load, ...options }) };
}

const away = () => Promise.reject(new Error(`connection refused by ${rotated}`));

test.each<[string, WebhookSecretLoader, string | undefined]>([
  ['one', () => secret, undefined],
  ['one, later', async () => secret, undefined],
  ['several, separated by commas', () => `${rotated}, ${secret}`, undefined],
  ['a list', () => [rotated, secret], undefined],
  ['a record', async () => ({ acme: [rotated, secret], globex: 'test-workspace-secret-0003' }), 'acme'],
])('a loader may return %s', async (_, load, workspace) => {
  const { workspaces, statusOf } = setUp({ secret: load });
  expect([await statusOf(forged), await statusOf(authentic)]).toEqual([401, 200]);
  expect(workspaces()).toEqual([workspace]);
  expect((await parseWebhookRequest(authentic, { secret: load })).workspace).toBe(workspace);
});

test('a comma is part of a secret in a list that is loaded', async () => {
  const { statusOf } = setUp({ secret: () => [`${secret},${rotated}`] });
  expect([await statusOf(authentic), await statusOf(afterRotation)]).toEqual([401, 401]);
});

test('secrets are loaded when a delivery first carries one, once for all that wait', async () => {
  const { state, statusOf } = vault();
  expect(await statusOf('{"type":"webhook_test"}')).toBe(401);
  expect(state.loads).toBe(0);
  expect(await Promise.all([authentic, authentic, forged].map(statusOf))).toEqual([200, 200, 401]);
  expect(state.loads).toBe(1);
});

test('loaded secrets are kept for five minutes from the begin of the load', async () => {
  const { state, statusOf } = vault();
  state.result = () => later(secret, 1_000);
  void statusOf(authentic);
  await pass(5 * MINUTES - 1);
  expect([await statusOf(authentic), state.loads]).toEqual([200, 1]);
  await pass(1);
  void statusOf(authentic);
  await pass(0);
  expect(state.loads).toBe(2);
});

test('an unknown secret reloads them, at most each ten seconds: a rotation is seen', async () => {
  const { state, statusOf } = vault();
  await statusOf(authentic);
  state.result = () => [secret, rotated];
  for (let index = 0; index < 100; index += 1) await statusOf(forged);
  await pass(10 * SECONDS - 1);
  void statusOf(forged);
  expect(state.loads).toBe(1);
  await pass(1);
  expect(await statusOf(afterRotation)).toBe(200);
  for (let index = 0; index < 100; index += 1) await statusOf(forged);
  expect(state.loads).toBe(2);
});

/** A vault whose secret is rotated after a stranger has caused a load. */
async function rotatedVault(options: WebhookReceiverOptions = {}) {
  const made = vault(options);
  await made.statusOf(authentic);
  await pass(10 * SECONDS);
  expect([await made.statusOf(forged), made.state.loads]).toEqual([401, 2]);
  made.state.result = () => rotated;
  await pass(1 * SECONDS);
  return made;
}

test('after a rotation, a delivery waits for the next load, which no stranger can make come sooner', async () => {
  const { state, statusOf } = await rotatedVault();
  // Those without a secret do not wait.
  for (const body of ['{}', {}, '{"payload":{}}']) expect(await statusOf(body)).toBe(401);
  const statuses = [statusOf(afterRotation), statusOf(forged)];
  await pass(9 * SECONDS - 1);
  expect(state.loads).toBe(2);
  await pass(1);
  expect([await Promise.all(statuses), state.loads]).toEqual([[200, 401], 3]);
});

test('a delivery that came while secrets were loaded waits for the next load too', async () => {
  const { state, statusOf } = await rotatedVault();
  await pass(9 * SECONDS);
  state.result = () => later(secret, 500);
  const before = statusOf(forged);
  await pass(100);
  state.result = () => rotated;
  const after = statusOf(afterRotation);
  await pass(10 * SECONDS);
  expect([await before, await after]).toEqual([401, 200]);
});

test('a function that returns at once is called again for an unknown secret: nothing waits', async () => {
  const state = { secret, calls: 0 };
  const read = () => {
    state.calls += 1;
    return state.secret;
  };
  const { statusOf } = setUp({ secret: read });
  expect(await statusOf(authentic)).toBe(200);
  await pass(10);
  expect([await statusOf(forged), await statusOf(authentic), state.calls]).toEqual([401, 200, 2]);
  state.secret = rotated;
  await pass(10);
  expect([await statusOf(afterRotation), state.calls]).toEqual([200, 3]);
  // Strangers make it be called a hundred times a second at most, and get no 503.
  const statuses: Promise<unknown>[] = [];
  for (let ms = 0; ms < 1_000; ms += 1) {
    statuses.push(statusOf(forged), statusOf(forged));
    await pass(1);
  }
  await pass(10);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([401]));
  expect(state.calls).toBeGreaterThan(50);
  expect(state.calls).toBeLessThanOrEqual(104);
});

test('a promise of another kind is a promise: it is not called again within ten seconds', async () => {
  // Like those of bluebird, or of another realm.
  const load = vi.fn(
    () => ({ then: (resolve: (value: string) => void) => resolve(secret) }) as Promise<string>,
  );
  const { statusOf } = setUp({ secret: load, deadline: 5 * SECONDS });
  await statusOf(authentic);
  await pass(1 * SECONDS);
  expect(await statusOf(forged)).toBe(401);
  expect(load).toHaveBeenCalledOnce();
});

test('nothing waits for a load that is due after the deadline, or without a deadline', async () => {
  const { statusOf, load } = await rotatedVault({ deadline: 9 * SECONDS });
  expect(await statusOf(afterRotation)).toBe(401);
  await parseWebhookRequest(afterRotation, { secret: load });
  await expect(parseWebhookRequest(authentic, { secret: load })).rejects.toThrow(WebhookVerificationError);
});

test('an unknown secret waits for a load in progress', async () => {
  const { state, statusOf } = vault();
  await statusOf(authentic);
  await pass(10 * SECONDS);
  state.result = () => later([secret, rotated], 500);
  const statuses = [statusOf(forged), statusOf(afterRotation)];
  await pass(500);
  expect(await Promise.all(statuses)).toEqual([401, 200]);
});

test('if loading fails, the last secrets are used for an hour, with a line a minute', async () => {
  const { state, statusOf, lines, failures } = vault();
  const refused: Promise<unknown>[] = [];
  await statusOf(authentic);
  state.result = away;
  await pass(5 * MINUTES);
  for (let second = 0; second < 299; second += 1) {
    if (second % 5 === 0) refused.push(statusOf(forged));
    expect(await statusOf(authentic)).toBe(200);
    await pass(1 * SECONDS);
  }
  const errors = lines.filter((line) => line.startsWith('error'));
  expect(errors).toEqual(
    Array(5).fill(expect.stringMatching(/not reloaded, the last ones stay in use: Webh/)),
  );
  expect(errors.join()).not.toContain(rotated);
  await pass(20 * SECONDS);
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
  expect(failures).toEqual([]);
  expect(state.loads).toBeLessThanOrEqual(32);
  await pass(50 * MINUTES);
  const status = statusOf(authentic);
  await pass(55 * SECONDS);
  expect(await status).toBe(500);
});

test('after a load that was wrong, and one that was not, a rotation is seen again', async () => {
  const { state, statusOf } = vault();
  state.result = () => undefined;
  expect(await statusOf(authentic)).toBe(500);
  await pass(10 * SECONDS);
  state.result = () => secret;
  expect(await statusOf(authentic)).toBe(200);
  state.result = () => rotated;
  await pass(1);
  const status = statusOf(afterRotation);
  await pass(10 * SECONDS);
  expect([await status, state.loads]).toEqual([200, 3]);
});

test('without earlier secrets, a loader that fails is retried until the deadline', async () => {
  const { state, statusOf } = vault();
  state.result = away;
  const statuses = [statusOf(authentic), statusOf(authentic)];
  await pass(15 * SECONDS);
  state.result = () => secret;
  await pass(10 * SECONDS);
  expect(await Promise.all(statuses)).toEqual([200, 200]);
  expect(state.loads).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('a load that takes longer than ten seconds has failed, and is repeated ten seconds later', async () => {
  const { state, statusOf } = vault();
  state.result = () => later(rotated, 15 * SECONDS);
  const status = statusOf(authentic);
  await pass(9 * SECONDS);
  state.result = () => secret;
  await pass(11 * SECONDS - 1);
  expect(state.loads).toBe(1);
  await pass(1);
  expect([await status, state.loads]).toEqual([200, 2]);
});

test('while nothing can be loaded, strangers cause a line a minute, and onError is called', async () => {
  const { state, lines, failures, statusOf } = vault();
  state.result = away;
  const statuses = Array.from({ length: 50 }, () => statusOf(forged));
  await pass(55 * SECONDS);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([500]));
  const cause = { message: expect.stringContaining('connection refused') as string };
  const failure = { stage: 'secret', event: undefined, context: { eventKey: '' } };
  expect(failures).toMatchObject(Array(50).fill([{ type: 'webhook_error', cause }, failure]));
  expect(lines).toEqual([
    expect.stringMatching(/^error .*failed at secret, .*The secrets could not be load/),
  ]);
  expect(lines.join()).not.toContain(rotated);
  expect(state.loads).toBe(6);
});

test.each([undefined, null, '', [], { acme: '' }, true])(
  'a loader that returns %j: 500 at once, never a pass',
  async (result) => {
    const load = () => result as string;
    const { workspaces, failures, statusOf } = setUp({ secret: load });
    expect([await statusOf(authentic), workspaces()]).toEqual([500, []]);
    const error = { type: 'configuration_error' };
    expect(failures).toMatchObject([[error, { stage: 'secret' }]]);
    await expect(parseWebhookRequest(authentic, { secret: load })).rejects.toMatchObject(error);
  },
);

test('parseWebhookRequest keeps what a function has loaded', async () => {
  const load = vi.fn(async () => secret);
  for (let index = 0; index < 3; index += 1) await parseWebhookRequest(authentic, { secret: load });
  expect(load).toHaveBeenCalledOnce();
});

test.each(['secret', 'verifySecret'])(
  'parseWebhookRequest rejects if `%s` fails, and says why',
  async (name) => {
    const cause = new Error(`no row for ${secret}`);
    const parsing = parseWebhookRequest(authentic, { [name]: () => Promise.reject(cause) });
    await expect(parsing).rejects.toMatchObject({ type: 'webhook_error', cause });
  },
);

const wrong = { type: 'configuration_error', option: 'verifySecret' };
const answers = ['acme-name', '', undefined, null, 0, 1, {}, [], { workspace: '' }, { workspace: 7 }];
const refused = Object.assign(new Error('acme-name'), { workspace: 'acme' });

test.each<[result: unknown, status: number, workspace?: string]>([
  [true, 200],
  [{ workspace: 'acme' }, 200, 'acme'],
  [false, 401],
  ...[...answers, refused].map((answer) => [answer, 500] as [unknown, number]),
])('verifySecret that returns %j, at once or later: %i', async (result, status, workspace) => {
  const verifiers: WebhookSecretVerifier[] = [() => result as boolean, async () => result as boolean];
  for (const verifySecret of verifiers) {
    const { failures, all, workspaces, statusOf } = setUp({ verifySecret });
    expect([await statusOf(authentic), workspaces()]).toEqual([status, status === 200 ? [workspace] : []]);
    expect(failures).toMatchObject(status === 500 ? [[wrong, { stage: 'secret' }]] : []);
    // It may be a secret.
    expect(all()).not.toContain('acme-name');
    const parsing = parseWebhookRequest(authentic, { verifySecret });
    if (status === 200) expect((await parsing).workspace).toBe(workspace);
    else if (status === 401) await expect(parsing).rejects.toThrow(WebhookVerificationError);
    else await expect(parsing).rejects.toThrow('verifySecret must return true, false or { workspace }, got');
  }
});

test('verifySecret decides in a program that has replaced Promise, as zone.js and bluebird do', async () => {
  vi.stubGlobal('Promise', class<Value> extends Promise<Value> {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const verifySecret = async (candidate: string) => candidate === secret;
  await expect(parseWebhookRequest(forged, { verifySecret })).rejects.toThrow(WebhookVerificationError);
});

test('verifySecret is called once for a candidate, and for sixteen of one body at most', async () => {
  const asked: string[] = [];
  const verifySecret = (candidate: string) => asked.push(candidate) < 0 || candidate === secret;
  const { statusOf } = setUp({ verifySecret });
  await statusOf(authentic);
  await statusOf(envelope('webhook_test'));
  expect(asked.splice(0)).toEqual([secret, secret]);
  for (const value of [undefined, null, 7, '', {}, 'x'.repeat(4_097)]) {
    expect(await statusOf(envelope('webhook_test', { workspaceSecret: value }))).toBe(401);
  }
  expect(asked).toEqual([]);
  const behind = (length: number) => {
    const quoted = Array.from({ length }, (_, at) => ({ workspaceSecret: `forged ${at % 500}` }));
    return statusOf(JSON.stringify({ quoted, ...envelope('webhook_test') }));
  };
  expect([await behind(15), asked.splice(0).length]).toEqual([200, 16]);
  expect([await behind(16), asked.splice(0).length]).toEqual([401, 16]);
  expect([await behind(900), asked.length]).toEqual([401, 16]);
});
