import { inspect } from 'node:util';
import {
  type AgentPlatform,
  type Drift,
  endpoint,
  type StandardResult,
  type StandardSchemaV1,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { connect, rejectionOf } from '../support/client.js';
import { answerInTurn, answerWith, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

const CANARY = 'canary-1f9d2c-of-this-test';
const shy = { serverUrlSecret: CANARY };

const printed = (value: unknown): string =>
  inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value);

/** Expects an error in which nothing is left of the secret but its mask. */
function expectMasked(error: unknown): void {
  expect(printed(error)).toContain('[redacted]');
  expect(printed(error)).not.toContain(CANARY);
}

type Validate = (value: typeof shy) => StandardResult<unknown>;

const schemaOf = (validate: Validate): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'test', validate: validate as (value: unknown) => never },
});

const throwing = (error: (told: string) => Error): Validate => {
  return ({ serverUrlSecret }) => {
    throw error(`was ${serverUrlSecret}`);
  };
};

/** The names of its classes, on an error of another copy of this package. */
const brand = {
  [Symbol.for('agent-platform-sdk.error')]: ['RequestValidationError', 'ResponseValidationError'],
};

describe.each<[string, Validate]>([
  ['in an issue, as JSON', (value) => ({ issues: [{ message: `was ${JSON.stringify(value)}` }] })],
  ['in an issue, in words', (value) => ({ issues: [{ message: `was ${value.serverUrlSecret}` }] })],
  ['in the path of an issue', (value) => ({ issues: [{ message: 'no', path: [value.serverUrlSecret] }] })],
  ['in what it throws', throwing((told) => new Error(told))],
  ['in an error of this package', throwing((told) => Object.assign(new Error(told), brand))],
])('a schema that tells a marked field %s shows it to nobody', (_, validate) => {
  const schema = schemaOf(validate);
  const response = z.unknown();
  test.each<[string, (platform: AgentPlatform) => Promise<unknown>]>([
    [
      'a body',
      (platform) =>
        platform.send(endpoint({ method: 'POST', path: '/x', body: schema, response }), { body: shy }),
    ],
    [
      'a query',
      (platform) =>
        platform.send(endpoint({ method: 'GET', path: '/x', query: schema, response }), { query: shy }),
    ],
    ['an answer', (platform) => platform.send(endpoint({ method: 'GET', path: '/x', response: schema }))],
  ])('of %s', async (_, send) => {
    const { platform } = connectTo(answerWith(200, shy));
    expectMasked(await rejectionOf(send(platform)));
  });
});

test('an argument that throws when it is read is no way out for a marked field in it', async () => {
  const write = endpoint({ method: 'POST', path: '/x', body: z.unknown(), response: z.unknown() });
  // Those that know each other many times over are looked through once.
  const friends: unknown[] = [];
  friends.push(...Array.from({ length: 12 }, () => friends));
  const body = {
    ...shy,
    friends,
    get key(): string {
      throw new Error(`lost ${this.serverUrlSecret}`);
    },
  };
  const { platform } = connectTo(answerWith(200));
  expectMasked(await rejectionOf(platform.send(write, { body })));
});

test.each([
  ['its token', { token: CANARY }],
  ['a header that carries a credential', { headers: { 'x-api-key': CANARY } }],
])('a call whose arguments are refused does not show %s', async (_, options) => {
  const body = schemaOf(() => ({ issues: [{ message: `no place for ${CANARY}` }] }));
  const write = endpoint({ method: 'POST', path: '/x', body, response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200));
  expectMasked(await rejectionOf(platform.send(write, { body: {} }, options)));
  expect(requests).toEqual([]);
});

test('what a schema says of an answer shows no marked field of it as drift either', async () => {
  const response = schemaOf((value) => ({ issues: [{ message: `was ${value.serverUrlSecret}` }] }));
  const drifts: Drift[] = [];
  const logger = new RecordingLogger();
  const { platform } = connectTo(answerWith(200, shy), {
    logger,
    logLevel: 'debug',
    validation: 'report',
    hooks: { onDrift: (drift) => drifts.push(drift) },
  });
  expect(await platform.send(endpoint({ method: 'GET', path: '/x', response }))).toEqual(shy);
  expect(drifts).toMatchObject([{ issues: [{ message: 'was [redacted]' }] }]);
  expect(logger.lines.join('\n')).not.toContain(CANARY);
});

describe('what a hook or a token function throws', () => {
  test('shows no header that carries a credential', async () => {
    const platform = connect('http://127.0.0.1', {
      hooks: {
        onRequest({ headers }) {
          headers.set('x-vault-token', CANARY);
          throw new Error(`no use for ${CANARY}`);
        },
      },
    });
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toMatchObject({ type: 'hook_error', cause: { message: 'no use for [redacted]' } });
    expect(printed(error)).not.toContain(CANARY);
  });

  test('shows no token of an attempt before', async () => {
    const tokens = [CANARY];
    const token = () => {
      const [next] = tokens.splice(0);
      if (next === undefined) throw new Error(`${CANARY} was the last`);
      return next;
    };
    const { platform } = connectTo(answerInTurn(answerWith(503)), { token, maxRetries: 1 });
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(error).toMatchObject({
      type: 'configuration_error',
      cause: { message: '[redacted] was the last' },
      message: expect.stringContaining('attempt 2 was not sent') as string,
    });
    expect(printed(error)).not.toContain(CANARY);
  });
});

describe('the reason of a signal shows no token', () => {
  const reason = new Error(`left with ${CANARY}`);
  const hanging = schemaOf(() => new Promise(() => undefined) as never);
  const asking = endpoint({ method: 'POST', path: '/x', body: hanging, response: z.unknown() });
  const reading = endpoint({ method: 'GET', path: '/x', response: hanging });
  test.each<[string, (platform: AgentPlatform, signal: AbortSignal) => Promise<unknown>]>([
    ['before the call', ({ tools }) => tools.get('t1', { signal: AbortSignal.abort(reason) })],
    [
      'while a schema looks at an argument',
      (platform, signal) => platform.send(asking, { body: {} }, { signal }),
    ],
    ['while a schema looks at an answer', (platform, signal) => platform.send(reading, {}, { signal })],
    ['between two attempts', ({ tools }, signal) => tools.get('t1', { signal, maxRetries: 1 })],
  ])('%s', async (when, send) => {
    const controller = new AbortController();
    const abort = (): void => controller.abort(reason);
    const answer =
      when === 'between two attempts' ? answerWith(503, '', { 'retry-after': '30' }) : answerWith(200, {});
    const { platform } = connectTo(answer, {
      token: CANARY,
      hooks: { onRetry: () => void setTimeout(abort, 10) },
    });
    const pending = rejectionOf(send(platform, controller.signal));
    if (when.startsWith('while')) setTimeout(abort, 100);
    const error = await pending;
    expect(error).toMatchObject({ type: 'abort_error', cause: { message: 'left with [redacted]' } });
    expect(printed(error)).not.toContain(CANARY);
  });
});
