import { inspect } from 'node:util';
import {
  ApiError,
  ConfigurationError,
  RequestValidationError,
  UnknownEventError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { InboxFullError, InboxReplicasError } from 'agent-platform-sdk/bullmq';
import { FileGoneError } from 'agent-platform-sdk/sqlite';
import { expect, test } from 'vitest';

const call = { method: 'GET', path: '/tools/t', region: 'eu' } as const;
const responded = { ...call, status: 404, headers: new Headers(), rawBody: '' };

test('an error is printed, and becomes JSON, with its own parts alone', () => {
  const error = new ConfigurationError('no', { option: 'token' });
  const parts = { type: 'configuration_error', outcomeUnknown: false, option: 'token' };
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ConfigurationError', message: 'no', ...parts });
  expect(
    inspect(error)
      .split('{')[1]
      ?.match(/[\w[].*(?=:)/g),
  ).toEqual(Object.keys(parts));
});

test('an error has no unknown outcome and no cause unless it is given them', () => {
  const error = new ConfigurationError('no', { option: 'token' });
  expect(error.outcomeUnknown).toBe(false);
  expect(error).not.toHaveProperty('cause');
  expect(new ConfigurationError('no', { option: 'token', cause: null }).cause).toBeNull();
});

test('an error body without issues gives none', () => {
  expect(new ApiError('no', responded).issues).toEqual([]);
  expect(new ApiError('no', { ...responded, issues: undefined }).issues).toEqual([]);
  expect(new ApiError('no', { ...responded, issues: [{ message: 'one' }] }).issues).toEqual([
    { message: 'one' },
  ]);
});

// tslog#96, pnpm#5574: loggers and subclasses set the name.
test('the name of an error is its own, and can be set; it is not printed among the parts', () => {
  const error = Object.assign(new ConfigurationError('no', { option: 'token' }), { name: 'Renamed' });
  expect(String(error)).toBe('Renamed: no');
  expect(Object.keys(error)).not.toContain('name');
  class MyError extends ConfigurationError {
    override name = 'MyError';
  }
  const mine = new MyError('no', { option: 'token' });
  expect(mine).toMatchObject({ name: 'MyError', type: 'configuration_error' });
  expect(mine).toBeInstanceOf(ConfigurationError);
});

test('the message names each wrong field on a line', () => {
  const wrong = ['one', 'two'].map((name) => ({
    path: [name],
    code: 'invalid_id',
    message: 'expected an id',
  }));
  for (const { message } of [
    new RequestValidationError({ method: 'GET', path: '/tools', issues: wrong }),
    new WebhookPayloadError('no', { issues: wrong }),
  ]) {
    expect(message.split('\n').slice(1)).toEqual(['  - one: expected an id', '  - two: expected an id']);
  }
});

test('an event on too few replicas says how many it reached', () => {
  const error = new InboxReplicasError({ reached: 1, wanted: 2, cause: 'late' });
  expect(error.message).toBe(
    'The event reached 1 of 2 replicas in time\n  Check that the replicas are connected and keep up.',
  );
  expect(error).toMatchObject({ name: 'InboxReplicasError', reached: 1, wanted: 2, cause: 'late' });
});

test('the message shows the first 100 characters of a type', () => {
  const { message, event } = new UnknownEventError({ type: 't'.repeat(500), payload: {} });
  expect(message).toContain(`"${'t'.repeat(100)}"`);
  expect(event.type).toHaveLength(500);
  expect(new UnknownEventError({ type: 'a\n"b', payload: {} }).message).toContain('type "a\\n\\"b" is');
});

const unfit = new WebhookPayloadError('no', { issues: [], payload: { convoId: 'c' } });

test.each([
  [new WebhookError('no'), true],
  [new InboxFullError('the disk is full', 'Make room.'), true],
  [new InboxReplicasError({ reached: 0, wanted: 1 }), true],
  [new FileGoneError('no'), true],
  [new WebhookVerificationError('no'), false],
  [new UnknownEventError({ type: 't', payload: {} }), false],
  [unfit, false],
])('a queue can see whether to retry: %o', (error, retryable) => {
  expect(error.retryable).toBe(retryable);
});

test('an invalid payload is a field of its error, and is not printed', () => {
  expect(unfit.payload).toEqual({ convoId: 'c' });
  expect(Object.keys(unfit)).not.toContain('payload');
});
