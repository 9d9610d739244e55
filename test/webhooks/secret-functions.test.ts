import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  WebhookError,
  type WebhookFailure,
  type WebhookRejection,
  type WebhookSecretLoader,
  type WebhookSecretLookup,
  type WebhookSecretOptions,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rejectionOf } from '../support/client.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, post, secret } from './deliveries.js';
import { ManualClock, settle } from './manual-clock.js';

const MINUTES = 60_000;
const rotated = 'test-workspace-secret-0002';
const forged = () => post('webhook_test', { workspaceSecret: 'forged' });

function setUp(secrets: WebhookSecretOptions) {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const workspaces: (string | undefined)[] = [];
  const failures: [error: unknown, failure: WebhookFailure][] = [];
  const rejections: WebhookRejection[] = [];
  const receiver = createWebhookReceiver({ ...secrets, clock, logger, dedupe: false })
    .onAny((event) => workspaces.push(event.workspace))
    .onError((error, failure) => failures.push([error, failure]))
    .onRejected((rejection) => rejections.push(rejection));
  const statusOf = async (request: { method: string; body: unknown }) =>
    (await receiver.handle(request)).status;
  return { clock, logger, workspaces, failures, rejections, receiver, statusOf };
}

/** A receiver with a loader that counts, and whose secrets can be changed. */
function vault(held: unknown = secret) {
  const state = { held, loads: 0 };
  const load = async () => {
    state.loads += 1;
    await settle();
    return state.held as string;
  };
  return { state, ...setUp({ secret: load }) };
}

test('a function that reads the secret lets no forged webhook pass, and what it reads is shown nowhere', async () => {
  const { receiver, logger, workspaces, rejections, statusOf } = setUp({ secret: () => secret });
  expect(await statusOf(forged())).toBe(401);
  expect(await statusOf(post('webhook_test'))).toBe(200);
  expect(workspaces).toEqual([undefined]);
  expect(rejections).toMatchObject([{ reason: 'verification_failed' }]);
  expect(JSON.stringify([logger.lines, rejections, receiver])).not.toContain(secret);
});

test.each<[string, WebhookSecretLoader, string | undefined]>([
  ['one', () => secret, undefined],
  ['one, later', async () => secret, undefined],
  ['a list', () => [rotated, secret], undefined],
  ['a record', async () => ({ acme: [rotated, secret], globex: 'test-workspace-secret-0003' }), 'acme'],
])('a loader may give %s', async (_, load, workspace) => {
  const { workspaces, statusOf } = setUp({ secret: load });
  expect([await statusOf(post('webhook_test')), await statusOf(forged())]).toEqual([200, 401]);
  expect(workspaces).toEqual([workspace]);
  expect((await parseWebhookRequest(delivery('webhook_test'), { secret: load })).workspace).toBe(workspace);
  const parsing = parseWebhookRequest(forged().body, { secret: load });
  await expect(parsing).rejects.toThrow(WebhookVerificationError);
});

test('secrets are loaded when the first delivery presents one, for all that wait at once', async () => {
  const { state, statusOf } = vault();
  await statusOf({ method: 'POST', body: '{}' });
  await statusOf({ method: 'POST', body: {} });
  expect(state.loads).toBe(0);
  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(post('webhook_test'))));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(state.loads).toBe(1);
});

test('loaded secrets are used for five minutes', async () => {
  const { state, clock, statusOf } = vault();
  await statusOf(post('webhook_test'));
  state.held = rotated;
  await clock.advance(5 * MINUTES);
  expect([await statusOf(post('webhook_test')), state.loads]).toEqual([200, 1]);
  await clock.advance(1);
  expect([await statusOf(post('webhook_test')), state.loads]).toEqual([401, 2]);
  expect(clock.timers.size).toBe(0);
});

test('a rotation is seen at once: a secret that does not match has them loaded afresh', async () => {
  const { state, clock, statusOf } = vault();
  await statusOf(post('webhook_test'));
  state.held = rotated;
  await clock.advance(10_001);
  expect(await statusOf(post('webhook_test', { workspaceSecret: rotated }))).toBe(200);
  expect(state.loads).toBe(2);
});

test('where the clock is set back, secrets are loaded afresh', async () => {
  let now = 1_000;
  const load = vi.fn(() => secret);
  const clock = { now: () => now, setTimeout: () => 0, clearTimeout: () => undefined };
  const receiver = createWebhookReceiver({ secret: load, clock, logLevel: 'off' });
  for (now of [1_000, 1_000, 999]) await receiver.handle(post('webhook_test'));
  expect(load).toHaveBeenCalledTimes(2);
});

test('secrets are as old as the beginning of their load: a rotation meanwhile is seen', async () => {
  let loads = 0;
  const { clock, receiver } = setUp({
    secret: async () => {
      loads += 1;
      const held = loads === 1 ? secret : rotated;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 9_000));
      return held;
    },
  });
  for (const workspaceSecret of [secret, rotated]) {
    const answer = receiver.handle(post('webhook_test', { workspaceSecret }));
    await clock.advance(9_000);
    expect((await answer).status).toBe(200);
    await clock.advance(1_001);
  }
});

test('forged webhooks load the secrets once in ten seconds, however many come', async () => {
  const { state, clock, statusOf } = vault();
  const forgeMany = () => Promise.all(Array.from({ length: 50 }, () => statusOf(forged())));
  await forgeMany();
  await forgeMany();
  await clock.advance(10_000);
  await forgeMany();
  expect(state.loads).toBe(1);
  await clock.advance(1);
  expect(new Set(await forgeMany())).toEqual(new Set([401]));
  await forgeMany();
  expect(state.loads).toBe(2);
});

test.each<[what: string, load: () => unknown, wait?: number]>([
  ['undefined', () => undefined],
  ['nothing, later', async () => null],
  ['an empty string', () => ''],
  ['an empty list', () => []],
  ['an empty record', () => ({})],
  ['an empty secret in a record', () => ({ acme: '' })],
  ['a boolean', () => true],
  ['another function', () => () => secret],
  [
    'an error',
    () => {
      throw new Error(`private ${rotated}`);
    },
    50_000,
  ],
  ['a rejection', () => Promise.reject(new Error(`private ${rotated}`)), 50_000],
])(
  'a loader that gives %s is answered 500, never by a pass or a 401, and is an error in the log',
  async (_, load, wait = 0) => {
    const { clock, logger, failures, rejections, workspaces, statusOf } = setUp({
      secret: load as WebhookSecretLoader,
    });
    const answers = [statusOf(post('webhook_test')), statusOf(forged())];
    // Before the deadline, which would not tell the cause.
    await clock.advance(wait);
    expect([await Promise.all(answers), clock.timers.size]).toEqual([[500, 500], 0]);
    expect(workspaces).toEqual([]);
    const error = failures[0]?.[0];
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(failures[0]).toMatchObject([
      { option: 'secret', cause: expect.any(Error) },
      { stage: 'secret', event: undefined },
    ]);
    expect(rejections).toEqual([]);
    expect(logger.lines.join('\n')).toMatch(/^error .*failed at secret with ConfigurationError: secret /m);
    expect(logger.lines.join()).not.toMatch(/private|the last ones are used/);
    const parsing = parseWebhookRequest(delivery('webhook_test'), { secret: load as WebhookSecretLoader });
    await expect(parsing).rejects.toThrow(ConfigurationError);
  },
);

test('parseWebhookRequest, which has no log, does not go on with the last secrets where loading fails', async () => {
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
  const load = vi.fn(() => secret);
  const parse = () => parseWebhookRequest(delivery('webhook_test'), { secret: load });
  await parse();
  load.mockImplementation(() => {
    throw new Error('the vault is away');
  });
  clock.mockReturnValue(now + 5 * MINUTES + 1);
  await expect(parse()).rejects.toThrow(ConfigurationError);
});

test('a loader whose secrets throw as they are read is a mistake, and what they throw is not shown', async () => {
  const { logger, failures, statusOf } = setUp({
    secret: () => ({
      get acme(): never {
        throw new Error(`private ${rotated}`);
      },
    }),
  });
  expect(await statusOf(post('webhook_test'))).toBe(500);
  const message = 'secret is a function that gave no usable secrets: it cannot be read.';
  expect(failures).toMatchObject([
    [{ message, cause: { message: `private ${rotated}` } }, { stage: 'secret' }],
  ]);
  expect(logger.lines.join()).toContain(message);
  expect(logger.lines.join()).not.toContain('private');
});

test('a loader that failed is asked again by the next delivery', async () => {
  const { state, statusOf } = vault('');
  expect(await statusOf(post('webhook_test'))).toBe(500);
  state.held = secret;
  expect(await statusOf(post('webhook_test'))).toBe(200);
});

test('secrets whose time is over are not used when the function gives none instead', async () => {
  const { state, clock, statusOf } = vault();
  await statusOf(post('webhook_test'));
  state.held = undefined;
  await clock.advance(10_001);
  expect([await statusOf(post('webhook_test')), await statusOf(forged())]).toEqual([200, 500]);
  await clock.advance(5 * MINUTES);
  expect(await statusOf(post('webhook_test'))).toBe(500);
});

test.each<[string, () => Promise<string>, number]>([
  ['fails', () => Promise.reject(new TypeError('private')), 0],
  ['hangs', () => new Promise(() => undefined), 10_000],
])(
  'where a loader %s later, its last secrets are used for an hour, with an error in the log',
  async (_, fail, wait) => {
    const state: { load: () => Promise<string>; loads: number } = { load: async () => secret, loads: 0 };
    const load = () => {
      state.loads += 1;
      return state.load();
    };
    const { clock, logger, receiver } = setUp({ secret: load });
    const statusOf = async (request: { method: string; body: unknown }) => {
      const answer = receiver.handle(request);
      await clock.advance(wait);
      return (await answer).status;
    };
    await statusOf(post('webhook_test'));
    state.load = fail;
    await clock.advance(5 * MINUTES + 1);
    logger.lines.length = 0;
    expect(await statusOf(post('webhook_test'))).toBe(200);
    const name = wait === 0 ? 'TypeError' : 'Error';
    expect(logger.lines).toEqual([
      expect.stringMatching(
        `^error .*secret is a function that failed to load the secrets \\(${name}\\): the last ones are used, ` +
          'up to an hour after they were loaded; a rotation since then is not seen$',
      ),
    ]);
    // What matches none of them may be new: it is neither let through nor called forged. The function has its rest.
    expect([await statusOf(forged()), await statusOf(post('webhook_test'))]).toEqual([500, 200]);
    expect(state.loads).toBe(2);
    await clock.advance(10_001);
    expect(await statusOf(post('webhook_test'))).toBe(200);
    expect(state.loads).toBe(3);
    await clock.advance(53 * MINUTES);
    expect(await statusOf(post('webhook_test'))).toBe(200);
    await clock.advance(2 * MINUTES);
    logger.lines.length = 0;
    const late = receiver.handle(post('webhook_test'));
    await clock.advance(50_000);
    expect(wait > 0 || (await late).status).toBe(wait > 0 || 500);
    expect(logger.lines.join()).not.toContain('the last ones');
    state.load = async () => rotated;
    await clock.advance(10_001);
    expect([
      await statusOf(post('webhook_test')),
      await statusOf(post('webhook_test', { workspaceSecret: rotated })),
    ]).toEqual([401, 200]);
  },
);

/** A loader that takes so many milliseconds for each call, and then throws unless it is told what to give. */
function slowVault(...calls: readonly (readonly [takes: number, gives?: string | undefined])[]) {
  let loads = 0;
  const { clock, ...rest } = setUp({
    secret: async () => {
      const [takes, gives] = calls[loads++] ?? [0];
      if (takes > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, takes));
      if (gives === undefined) throw new TypeError('private');
      return gives;
    },
  });
  return { clock, ...rest };
}

test.each<[string, (readonly [number, string?])[], number]>([
  ['fails at once', [[0], [0, secret]], 10_000],
  ['fails twice', [[100], [0], [0, secret]], 20_000],
  ['fails while another is under way', [[11_000], [2_000, secret]], 12_000],
  ['fails long after another has failed', [[15_000], [0], [0, secret]], 20_000],
])(
  'a first call that %s costs no event, with an error in the log for each failure',
  async (_, calls, end) => {
    const { clock, logger, statusOf } = slowVault(...calls);
    const answers: number[] = [];
    const send = async () => answers.push(await statusOf(post('webhook_test')));
    const sent = send();
    await clock.advance(end - 1);
    expect(answers).toEqual([]);
    await clock.advance(1);
    await sent;
    expect([answers, clock.timers.size]).toEqual([[200], 0]);
    const line = /^error .*failed to load the secrets \(TypeError\): it is called again every ten seconds/;
    expect(logger.lines).toEqual(calls.slice(1).map(() => expect.stringMatching(line)));
  },
);

test('a call that fails after a later one has brought secrets does not make the function rest', async () => {
  const { clock, statusOf } = slowVault([15_000], [2_000, secret], [0, rotated]);
  const waiting = statusOf(post('webhook_test'));
  await clock.advance(12_000);
  expect(await waiting).toBe(200);
  await clock.advance(8_001);
  expect(await statusOf(post('webhook_test', { workspaceSecret: rotated }))).toBe(200);
});

test('a load that was overtaken ends without the one that is waited for', async () => {
  const loads: ReturnType<typeof deferred>[] = [];
  const { clock, receiver } = setUp({
    secret: async () => {
      const load = deferred();
      loads.push(load);
      await load.promise;
      return secret;
    },
  });
  const answers = [receiver.handle(post('webhook_test'))];
  await clock.advance(10_001);
  answers.push(receiver.handle(post('webhook_test')));
  loads[0]?.resolve();
  await settle();
  answers.push(receiver.handle(forged()));
  await settle();
  expect(loads).toHaveLength(2);
  loads[1]?.resolve();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 401]);
});

test.each([{}, { workspaceSecret: '' }, { workspaceSecret: 7 }])(
  'nothing is loaded for a payload that has no secret: %j',
  async (payload) => {
    const load = vi.fn(() => secret);
    const receiver = createWebhookReceiver({ secret: load, logger: new RecordingLogger() });
    const body = { type: 'webhook_test', payload };
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    await expect(parseWebhookRequest(body, { secret: load })).rejects.toThrow('was not verified');
    expect(load).not.toHaveBeenCalled();
  },
);

test('parseWebhookRequest keeps what a function has loaded for further calls with it', async () => {
  let loads = 0;
  const options = {
    secret: () => {
      loads += 1;
      return secret;
    },
  };
  for (let count = 0; count < 3; count += 1) await parseWebhookRequest(delivery('webhook_test'), options);
  expect(loads).toBe(1);
});

test('secrets that come after all end the rest of their function', async () => {
  const hanging = deferred();
  const state = { wait: Promise.resolve() };
  const { clock, receiver, statusOf } = setUp({ secret: () => state.wait.then(() => secret) });
  await statusOf(post('webhook_test'));
  await clock.advance(5 * MINUTES + 1);
  state.wait = hanging.promise;
  const answer = receiver.handle(post('webhook_test'));
  await clock.advance(10_000);
  expect((await answer).status).toBe(200);
  hanging.resolve();
  await clock.advance(1);
  // They may be looked at again: what matches none of them is forged.
  expect(await statusOf(forged())).toBe(401);
});

test('after the clock was set back, loaded secrets are old: a rotation is seen', async () => {
  const { state, clock, statusOf } = vault();
  await statusOf(post('webhook_test'));
  await clock.advance(-60 * MINUTES);
  state.held = rotated;
  expect(await statusOf(post('webhook_test', { workspaceSecret: rotated }))).toBe(200);
});

test('a loader that hangs for good is called six times for a delivery, ten seconds apart', async () => {
  const load = vi.fn(() => new Promise<string>(() => undefined));
  const { clock, receiver, failures } = setUp({ secret: load });
  const answer = receiver.handle(post('webhook_test'));
  for (let second = 0; second < 100; second += 1) await clock.advance(1_000);
  expect((await answer).status).toBe(500);
  expect(load).toHaveBeenCalledTimes(6);
  expect(failures).toMatchObject([[{ type: 'webhook_error' }, { stage: 'secret' }]]);
});

test('where every call of a loader fails, the last error is told', async () => {
  let calls = 0;
  const { clock, receiver, failures } = setUp({
    secret: async () => {
      calls += 1;
      throw new Error(`call ${calls}`);
    },
  });
  const answer = receiver.handle(post('webhook_test'));
  await clock.advance(50_000);
  expect((await answer).status).toBe(500);
  expect(failures).toMatchObject([[{ cause: { message: 'call 6' } }, { stage: 'secret' }]]);
});

test('a loader that hangs costs no event, and ten seconds: then it is called again', async () => {
  const hanging = deferred();
  let loads = 0;
  const { clock, receiver } = setUp({
    secret: async () => {
      loads += 1;
      if (loads > 1) return secret;
      await hanging.promise;
      return 'too late';
    },
  });
  const first = receiver.handle(post('webhook_test'));
  await clock.advance(10_000);
  expect((await first).status).toBe(200);
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
  // What comes after all is older than what is in use.
  hanging.resolve();
  await settle();
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
  expect(loads).toBe(2);
});

test('parseWebhookRequest calls a loader that hangs again, every ten seconds for a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const hangs = () => new Promise<string>(() => undefined);
  const once = vi.fn(async () => secret).mockImplementationOnce(hangs);
  const always = vi.fn(hangs);
  const parse = (load: () => Promise<string>) =>
    parseWebhookRequest(delivery('webhook_test'), { secret: load });
  const parsed = parse(once);
  const refused = rejectionOf(parse(always));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await parsed).toMatchObject({ type: 'webhook_test' });
  await vi.advanceTimersByTimeAsync(50_000);
  expect(await refused).toMatchObject({
    type: 'configuration_error',
    message: 'secret is a function that failed to load the secrets (see `error.cause`).',
    cause: { message: 'It has not ended within 60000 ms.' },
  });
  expect([once.mock.calls.length, always.mock.calls.length, vi.getTimerCount()]).toEqual([2, 6, 0]);
});

test.each([
  ['createWebhookReceiver', (options: unknown) => createWebhookReceiver(options as WebhookSecretOptions)],
  [
    'parseWebhookRequest',
    (options: unknown) => parseWebhookRequest(delivery('webhook_test'), options as WebhookSecretOptions),
  ],
])('%s refuses a look-up in `secret`, and both or neither of the options', async (_, take) => {
  const lookup = (presented: string) => (presented === '' ? undefined : 'acme');
  const refusal = (options: unknown) => rejectionOf((async () => take(options))());
  expect(await refusal({ secret: lookup })).toMatchObject({
    type: 'configuration_error',
    option: 'secret',
    message:
      'secret takes a function that loads the secrets, without arguments. One that decides on a presented secret is the ' +
      'option `verifySecret`, and answers true, false or { workspace }.',
  });
  expect(await refusal({ secret, verifySecret: () => true })).toMatchObject({
    option: 'verifySecret',
    message: 'verifySecret cannot be combined with `secret`: give one of them.',
  });
  expect(await refusal({ secret: () => secret, verifySecret: () => true })).toMatchObject({
    option: 'verifySecret',
  });
  expect(await refusal({ secret: undefined })).toMatchObject({
    type: 'configuration_error',
    option: 'secret',
  });
  expect(await refusal({ verifySecret: secret })).toMatchObject({ option: 'verifySecret' });
});

test.each([
  ['secret', { secret: () => secret }],
  ['verifySecret', { verifySecret: () => true }],
])('parseWebhook, which cannot wait, says what takes a function: %s', (option, options) => {
  const parse = () => parseWebhook(delivery('webhook_test'), options as never);
  expect(parse).toThrow(ConfigurationError);
  const message = `${option} is a function: \`await parseWebhookRequest(body, { ${option} })\` takes one.`;
  expect(parse).toThrow(expect.objectContaining({ option, message }));
});

test.each<[string, WebhookSecretLookup, string | undefined]>([
  ['true', () => true, undefined],
  ['true, later', async (presented) => presented === secret, undefined],
  ['a workspace', () => ({ workspace: 'acme' }), 'acme'],
  ['a workspace, later', async () => ({ workspace: 'acme' }), 'acme'],
])('a look-up that answers %s verifies', async (_, verifySecret, workspace) => {
  const { workspaces, statusOf } = setUp({ verifySecret });
  expect(await statusOf(post('webhook_test'))).toBe(200);
  expect(workspaces).toEqual([workspace]);
  const event = await parseWebhookRequest(delivery('webhook_test'), { verifySecret });
  expect(event.workspace).toBe(workspace);
});

test.each<WebhookSecretLookup>([() => false, async () => false])(
  'a look-up that answers false refuses',
  async (verifySecret) => {
    const { failures, statusOf } = setUp({ verifySecret });
    expect([await statusOf(post('webhook_test')), failures]).toEqual([401, []]);
    const parsing = parseWebhookRequest(delivery('webhook_test'), { verifySecret });
    await expect(parsing).rejects.toThrow(WebhookVerificationError);
  },
);

test.each([
  'acme-name',
  '',
  undefined,
  null,
  0,
  1,
  {},
  [],
  { workspace: '' },
  { workspace: 7 },
  { name: 'acme-name' },
])('a look-up that answers %j is a mistake: 500, never a pass', async (answer) => {
  const verifySecret = async () => answer as unknown as boolean;
  const { failures, logger, workspaces, statusOf } = setUp({ verifySecret });
  expect(await statusOf(post('webhook_test'))).toBe(500);
  expect(workspaces).toEqual([]);
  expect(failures).toMatchObject([
    [{ type: 'configuration_error', option: 'verifySecret' }, { stage: 'secret' }],
  ]);
  const log = logger.lines.join('\n');
  const got = typeof answer === 'string' ? 'a string' : '(nothing|null|object|array|[01])';
  expect(log).toMatch(
    new RegExp(`^error .*ConfigurationError: verifySecret must answer .*, got ${got}\\.`, 'm'),
  );
  expect(log).not.toContain('acme-name');
  const parsing = parseWebhookRequest(delivery('webhook_test'), { verifySecret });
  await expect(parsing).rejects.toThrow(ConfigurationError);
});

test('a look-up is not asked about what is no secret', async () => {
  const asked: string[] = [];
  const verifySecret = (presented: string) => asked.push(presented) > 0;
  const { statusOf } = setUp({ verifySecret });
  for (const presented of [undefined, null, 7, '', {}]) {
    const body = envelope('webhook_test', { workspaceSecret: presented });
    expect(await statusOf({ method: 'POST', body })).toBe(401);
    await expect(parseWebhookRequest(body, { verifySecret })).rejects.toThrow(WebhookVerificationError);
  }
  expect(asked).toEqual([]);
});

test('a look-up that fails is answered 500, and reported with its error', async () => {
  const cause = new Error('database down');
  const verifySecret = () => Promise.reject(cause);
  for (const body of [delivery('webhook_test'), envelope('webhook_test')]) {
    const { failures, rejections, logger, receiver } = setUp({ verifySecret });
    const answer = await receiver.handle({ method: 'POST', body });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([500, { code: 'lookup_failed' }]);
    expect(failures).toMatchObject([[cause, { stage: 'secret', event: undefined }]]);
    expect(rejections).toEqual([]);
    expect(logger.lines.join()).not.toContain('database down');
    const parsing = parseWebhookRequest(body, { verifySecret });
    const message = 'The webhook was not verified: `verifySecret` failed (see `error.cause`)';
    await expect(parsing).rejects.toThrow(expect.objectContaining({ type: 'webhook_error', message, cause }));
    await expect(parsing).rejects.toBeInstanceOf(WebhookError);
  }
});
