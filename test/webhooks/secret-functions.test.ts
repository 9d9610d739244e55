import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  WebhookError,
  type WebhookFailure,
  type WebhookReceiverOptions,
  type WebhookSecretLoader,
  type WebhookSecretVerifier,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { codeOf, delivery, envelope, post, secret } from './deliveries.js';

const SECONDS = 1_000;
const MINUTES = 60_000;
const rotated = 'test-workspace-secret-0002';
const authentic = () => post('webhook_test');
const forged = () => post('webhook_test', { workspaceSecret: 'forged' });
const afterRotation = () => post('webhook_test', { workspaceSecret: rotated });

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  onTestFinished(() => void vi.useRealTimers());
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function setUp(options: WebhookReceiverOptions) {
  const logger = new RecordingLogger();
  const workspaces: (string | undefined)[] = [];
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const receiver = createWebhookReceiver({ ...options, logger, dedupe: false })
    .onAny((event) => workspaces.push(event.workspace))
    .onError((error, failure) => failures.push([error, failure]));
  const statusOf = async (request: { method: string; body: unknown }) =>
    (await receiver.handle(request)).status;
  return { logger, workspaces, failures, receiver, statusOf };
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
  ['a list', () => [rotated, secret], undefined],
  ['a record', async () => ({ acme: [rotated, secret], globex: 'test-workspace-secret-0003' }), 'acme'],
])('a loader may return %s', async (_, load, workspace) => {
  const { workspaces, statusOf } = setUp({ secret: load });
  expect([await statusOf(forged()), await statusOf(authentic()), workspaces]).toEqual([
    401,
    200,
    [workspace],
  ]);
  await expect(parseWebhookRequest(delivery('webhook_test'), { secret: load })).resolves.toMatchObject({
    type: 'webhook_test',
  });
});

test('secrets are loaded when a delivery first carries one, once for all that wait', async () => {
  const { state, statusOf } = vault();
  expect(await statusOf({ method: 'POST', body: '{"type":"webhook_test"}' })).toBe(401);
  expect(state.loads).toBe(0);
  expect(await Promise.all([statusOf(authentic()), statusOf(authentic()), statusOf(forged())])).toEqual([
    200, 200, 401,
  ]);
  expect(state.loads).toBe(1);
});

test('loaded secrets are kept for five minutes', async () => {
  const { state, statusOf } = vault();
  await statusOf(authentic());
  await pass(5 * MINUTES - 1);
  await statusOf(authentic());
  expect(state.loads).toBe(1);
  await pass(1);
  await statusOf(authentic());
  expect(state.loads).toBe(2);
});

test('an unknown secret reloads them, at most each ten seconds: a rotation is seen', async () => {
  const { state, statusOf } = vault();
  await statusOf(authentic());
  state.result = () => [secret, rotated];
  for (let index = 0; index < 100; index += 1) await statusOf(forged());
  expect(state.loads).toBe(1);
  await pass(10 * SECONDS);
  expect(await statusOf(post('webhook_test', { workspaceSecret: rotated }))).toBe(200);
  for (let index = 0; index < 100; index += 1) await statusOf(forged());
  expect(state.loads).toBe(2);
});

/** A vault whose secret is rotated after a stranger has caused a load. */
async function rotatedVault(options: WebhookReceiverOptions = {}) {
  const made = vault(options);
  await made.statusOf(authentic());
  await pass(10 * SECONDS);
  expect(await made.statusOf(forged())).toBe(401);
  expect(made.state.loads).toBe(2);
  made.state.result = () => rotated;
  await pass(1 * SECONDS);
  return made;
}

test('after a rotation, a delivery waits for the next load, which no stranger can make come sooner', async () => {
  const { state, statusOf } = await rotatedVault();
  const statuses = [statusOf(afterRotation()), statusOf(forged())];
  await pass(9 * SECONDS - 1);
  expect(state.loads).toBe(2);
  await pass(1);
  expect([await Promise.all(statuses), state.loads]).toEqual([[200, 401], 3]);
});

test('a delivery that came while secrets were loaded waits for the next load too', async () => {
  const { state, statusOf } = await rotatedVault();
  await pass(9 * SECONDS);
  state.result = () => new Promise((resolve) => setTimeout(() => resolve(secret), 500));
  const before = statusOf(forged());
  await pass(100);
  state.result = () => rotated;
  const after = statusOf(afterRotation());
  await pass(10 * SECONDS);
  expect([await before, await after]).toEqual([401, 200]);
});

/** A function that returns at once, as one that reads the environment does. */
function environment(options: WebhookReceiverOptions = {}) {
  const state = { secret, calls: 0 };
  const read = () => {
    state.calls += 1;
    return state.secret;
  };
  return { state, read, ...setUp({ secret: read, ...options }) };
}

test('a function that returns at once is called again for an unknown secret: nothing waits', async () => {
  const { state, statusOf } = environment();
  expect(await statusOf(authentic())).toBe(200);
  await pass(10);
  expect([await statusOf(forged()), await statusOf(authentic()), state.calls]).toEqual([401, 200, 2]);
  state.secret = rotated;
  await pass(10);
  expect([await statusOf(afterRotation()), state.calls]).toEqual([200, 3]);
});

test('strangers make it be called a hundred times a second at most, and get no 503', async () => {
  const { state, receiver } = environment();
  await receiver.handle(authentic());
  const responses: ReturnType<typeof receiver.handle>[] = [];
  for (let ms = 0; ms < 1_000; ms += 1) {
    responses.push(receiver.handle(forged()), receiver.handle(forged()));
    await pass(1);
  }
  await pass(10);
  expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([401]));
  expect(state.calls).toBeGreaterThan(50);
  expect(state.calls).toBeLessThanOrEqual(102);
});

test('a promise of another kind is a promise: it is not called again within ten seconds', async () => {
  let calls = 0;
  // Like those of bluebird, or of another realm.
  const load = () => {
    calls += 1;
    return { then: (resolve: (value: string) => void) => resolve(secret) } as Promise<string>;
  };
  const { statusOf } = setUp({ secret: load, deadline: 5 * SECONDS });
  await statusOf(authentic());
  await pass(1 * SECONDS);
  expect([await statusOf(forged()), calls]).toEqual([401, 1]);
});

test('nothing waits for a load that is due after the deadline, or without a deadline', async () => {
  const { statusOf, load } = await rotatedVault({ deadline: 9 * SECONDS });
  expect(await statusOf(afterRotation())).toBe(401);
  const parse = (body: string) => parseWebhookRequest(body, { secret: load });
  await parse(afterRotation().body);
  await expect(parse(authentic().body)).rejects.toThrow(WebhookVerificationError);
});

test('a body without a secret does not wait for a load', async () => {
  const { statusOf } = await rotatedVault();
  for (const body of ['{}', {}, '{"payload":{}}']) expect(await statusOf({ method: 'POST', body })).toBe(401);
});

test('an unknown secret waits for a load in progress', async () => {
  const { state, statusOf } = vault();
  await statusOf(authentic());
  await pass(10 * SECONDS);
  state.result = () => new Promise((resolve) => setTimeout(() => resolve([secret, rotated]), 500));
  const statuses = [statusOf(forged()), statusOf(post('webhook_test', { workspaceSecret: rotated }))];
  await pass(500);
  expect(await Promise.all(statuses)).toEqual([401, 200]);
});

test('if loading fails, the last secrets are used for an hour, with a line a minute', async () => {
  const { state, statusOf, logger, failures } = vault();
  const refused: Promise<number>[] = [];
  await statusOf(authentic());
  state.result = away;
  await pass(5 * MINUTES);
  for (let second = 0; second < 299; second += 1) {
    const unknown = second % 5 === 0 ? [statusOf(forged())] : [];
    expect(await statusOf(authentic())).toBe(200);
    await pass(1 * SECONDS);
    refused.push(...unknown);
  }
  const errors = logger.lines.filter((line) => line.startsWith('error'));
  expect(errors).toHaveLength(5);
  await pass(20 * SECONDS);
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
  expect(errors[0]).toMatch(
    /webhook secrets were not reloaded, the last ones stay in use: WebhookError: The secrets could not be loaded/,
  );
  expect(errors.join()).not.toContain(rotated);
  expect(failures).toEqual([]);
  expect(state.loads).toBeLessThanOrEqual(32);
  await pass(50 * MINUTES);
  const status = statusOf(authentic());
  await pass(55 * SECONDS);
  expect(await status).toBe(500);
});

test('without earlier secrets, a loader that fails is retried until the deadline', async () => {
  const { state, statusOf } = vault();
  state.result = away;
  const statuses = [statusOf(authentic()), statusOf(authentic())];
  await pass(15 * SECONDS);
  state.result = () => secret;
  await pass(10 * SECONDS);
  expect(await Promise.all(statuses)).toEqual([200, 200]);
  expect(state.loads).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('a load that takes longer than ten seconds has failed, and is repeated ten seconds later', async () => {
  const { state, statusOf } = vault();
  state.result = () => new Promise((resolve) => setTimeout(() => resolve(rotated), 15 * SECONDS));
  const status = statusOf(authentic());
  await pass(9 * SECONDS);
  state.result = () => secret;
  await pass(11 * SECONDS);
  expect([await status, state.loads]).toEqual([200, 2]);
});

test('while nothing can be loaded, strangers cause a line a minute, and onError is called', async () => {
  const { state, logger, failures, receiver } = vault();
  state.result = away;
  const responses = Array.from({ length: 50 }, () => receiver.handle(forged()));
  await pass(55 * SECONDS);
  for (const response of responses) expect(codeOf(await response)).toEqual([500, 'secret_failed']);
  expect(failures).toHaveLength(50);
  expect(failures[0]).toMatchObject([
    { type: 'webhook_error', cause: { message: expect.stringContaining('connection refused') } },
    { stage: 'secret', event: undefined, context: { eventKey: '' } },
  ]);
  expect(logger.lines).toEqual([
    expect.stringMatching(/^error .*failed at secret, .*The secrets could not be loaded/),
  ]);
  expect(logger.lines.join()).not.toContain(rotated);
  expect(state.loads).toBe(6);
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['an empty string', ''],
  ['an empty list', []],
  ['an empty secret in a record', { acme: '' }],
  ['a boolean', true],
])('a loader that returns %s: 500 at once, never a pass', async (_, result) => {
  const { workspaces, failures, statusOf } = setUp({ secret: () => result as string });
  expect([await statusOf(authentic()), workspaces]).toEqual([500, []]);
  expect(failures).toMatchObject([[{ type: 'configuration_error' }, { stage: 'secret' }]]);
  const parsing = parseWebhookRequest(delivery('webhook_test'), { secret: () => result as string });
  await expect(parsing).rejects.toThrow(ConfigurationError);
});

test('parseWebhookRequest keeps what a function has loaded, and rejects if it fails', async () => {
  const load = vi.fn(async () => secret);
  for (let index = 0; index < 3; index += 1) {
    await parseWebhookRequest(delivery('webhook_test'), { secret: load });
  }
  expect(load).toHaveBeenCalledOnce();
  const cause = new Error('the vault is away');
  const failing = parseWebhookRequest(delivery('webhook_test'), { secret: () => Promise.reject(cause) });
  await expect(failing).rejects.toMatchObject({ type: 'webhook_error', cause });
});

test('a function in the wrong option is refused with the right one', () => {
  const takesOne = (candidate: string) => candidate === secret;
  expect(() => createWebhookReceiver({ secret: takesOne as never })).toThrow(/option `verifySecret`/);
  expect(() => createWebhookReceiver({ verifySecret: secret as never })).toThrow(
    expect.objectContaining({ option: 'verifySecret' }),
  );
  expect(() => createWebhookReceiver({ secret, verifySecret: () => true })).toThrow(/cannot be combined/);
  for (const options of [{ secret: () => secret }, { verifySecret: () => true }]) {
    expect(() => parseWebhook('{}', options as never)).toThrow(/use parseWebhookRequest/);
  }
});

test.each<[string, WebhookSecretVerifier, string | undefined]>([
  ['true', () => true, undefined],
  ['true, later', async (candidate) => candidate === secret, undefined],
  ['a workspace', () => ({ workspace: 'acme' }), 'acme'],
  ['a workspace, later', async () => ({ workspace: 'acme' }), 'acme'],
])('verifySecret that returns %s verifies', async (_, verifySecret, workspace) => {
  const { workspaces, statusOf } = setUp({ verifySecret });
  expect([await statusOf(authentic()), workspaces]).toEqual([200, [workspace]]);
  const event = await parseWebhookRequest(delivery('webhook_test'), { verifySecret });
  expect(event.workspace).toBe(workspace);
});

test.each<WebhookSecretVerifier>([() => false, async () => false])(
  'verifySecret that returns false refuses',
  async (verifySecret) => {
    const { failures, statusOf } = setUp({ verifySecret });
    expect([await statusOf(authentic()), failures]).toEqual([401, []]);
    const parsing = parseWebhookRequest(delivery('webhook_test'), { verifySecret });
    await expect(parsing).rejects.toThrow(WebhookVerificationError);
  },
);

test.each(['acme-name', '', undefined, null, 0, 1, {}, [], { workspace: '' }, { workspace: 7 }])(
  'verifySecret that returns %j is wrong: 500, never a pass',
  async (result) => {
    const verifySecret = async () => result as unknown as boolean;
    const { failures, logger, workspaces, statusOf } = setUp({ verifySecret });
    expect([await statusOf(authentic()), workspaces]).toEqual([500, []]);
    expect(failures).toMatchObject([[{ option: 'verifySecret' }, { stage: 'secret' }]]);
    expect(logger.lines.join()).toMatch(/verifySecret must return true, false or \{ workspace \}, got/);
    expect(logger.lines.join()).not.toContain('acme-name');
    const parsing = parseWebhookRequest(delivery('webhook_test'), { verifySecret });
    await expect(parsing).rejects.toThrow(ConfigurationError);
  },
);

test('verifySecret that fails: 500, onError gets what it threw, and its message is not logged', async () => {
  const cause = new Error(`no row for ${secret}`);
  const verifySecret = () => Promise.reject(cause);
  for (const body of [delivery('webhook_test'), envelope('webhook_test')]) {
    const { failures, logger, receiver } = setUp({ verifySecret });
    expect(codeOf(await receiver.handle({ method: 'POST', body }))).toEqual([500, 'secret_failed']);
    expect(failures).toMatchObject([[cause, { stage: 'secret', event: undefined }]]);
    expect(failures[0]?.[0]).toBe(cause);
    expect(logger.lines.join()).not.toContain('no row');
    const parsing = parseWebhookRequest(body, { verifySecret });
    await expect(parsing).rejects.toThrow(WebhookError);
    await expect(parsing).rejects.toMatchObject({ type: 'webhook_error', cause });
  }
});

test('verifySecret is called once for a candidate, and for sixteen of one body at most', async () => {
  const asked: string[] = [];
  const verifySecret = (candidate: string) => asked.push(candidate) < 0 || candidate === secret;
  const { statusOf } = setUp({ verifySecret });
  await statusOf(authentic());
  await statusOf({ method: 'POST', body: envelope('webhook_test') });
  expect(asked).toEqual([secret, secret]);
  asked.length = 0;
  for (const value of [undefined, null, 7, '', {}, 'x'.repeat(4_097)]) {
    expect(
      await statusOf({ method: 'POST', body: envelope('webhook_test', { workspaceSecret: value }) }),
    ).toBe(401);
  }
  expect(asked).toEqual([]);
  const many = Array.from({ length: 1_000 }, (_, index) => `{"workspaceSecret":"forged ${index % 500}"}`);
  expect(await statusOf({ method: 'POST', body: `[${many.join()}]` })).toBe(401);
  expect(asked).toHaveLength(16);
});

test('known secrets are found behind other candidates: a chat may quote the field', async () => {
  const quoted = Array.from({ length: 17 }, (_, index) => ({ workspaceSecret: `quoted ${index}` }));
  const body = JSON.stringify({ quoted, ...envelope('webhook_test') });
  for (const options of [{ secret }, { secret: () => secret }]) {
    const { statusOf } = setUp(options);
    // The second one while no load is due: nothing waits if the secret is known.
    for (let count = 0; count < 2; count += 1) expect(await statusOf({ method: 'POST', body })).toBe(200);
  }
});

test('of the fields of that name in a text, a thousand are looked at', async () => {
  const { statusOf } = setUp({ secret });
  const behind = (count: number) => {
    const quoted = Array.from({ length: count }, () => ({ workspaceSecret: 'quoted' }));
    return { method: 'POST', body: JSON.stringify({ quoted, ...envelope('webhook_test') }) };
  };
  expect([await statusOf(behind(999)), await statusOf(behind(1_000))]).toEqual([200, 401]);
});
