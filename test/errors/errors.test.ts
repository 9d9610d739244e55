import { inspect } from 'node:util';
import * as sdk from 'agent-platform-sdk';
import {
  AgentPlatformError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  type ErrorType,
  NotFoundError,
  RateLimitError,
  RequestValidationError,
  ServerError,
  TimeoutError,
  UnknownEventError,
  WebhookError,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import * as inbox from 'agent-platform-sdk/bullmq';
import { FileGoneError } from 'agent-platform-sdk/sqlite';
import { expect, test, vi } from 'vitest';

const call = { method: 'GET', path: '/x', region: 'eu' } as const;
const parts = { ...call, status: 404, headers: new Headers(), rawBody: '' };

test('instanceof follows the tree of classes', () => {
  const error = new NotFoundError('m', parts);
  for (const errorClass of [NotFoundError, ApiError, AgentPlatformError, Error]) {
    expect(error).toBeInstanceOf(errorClass);
  }
  for (const errorClass of [RateLimitError, ServerError, ConnectionError, ConfigurationError]) {
    expect(error).not.toBeInstanceOf(errorClass);
  }
  expect(new TimeoutError('m', call)).toBeInstanceOf(ConnectionError);
  expect(new UnknownEventError({ type: 't', payload: {} })).toBeInstanceOf(WebhookError);
});

test('instanceof works for an error of a duplicate install', async () => {
  vi.resetModules();
  const other = await import('agent-platform-sdk');
  expect(other.NotFoundError).not.toBe(NotFoundError);
  const error = new other.NotFoundError('m', parts);
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).not.toBeInstanceOf(RateLimitError);
});

// tslog#96, pnpm#5574: loggers and subclasses set the name.
test('a user’s subclass keeps the ordinary rule, and may have a name of its own', () => {
  class MyError extends NotFoundError {
    override name = 'MyError';
  }
  const mine = new MyError('m', parts);
  expect(mine).toBeInstanceOf(MyError);
  expect(mine).toBeInstanceOf(NotFoundError);
  expect(mine).toMatchObject({ name: 'MyError', type: 'not_found_error' });
  expect(new NotFoundError('m', parts)).not.toBeInstanceOf(MyError);
});

test.each([[null], [undefined], ['text'], [{}], [new Error('other')], [{ name: 'NotFoundError' }]])(
  '%s is not an error of this package',
  (value) => {
    expect(value instanceof NotFoundError).toBe(false);
    expect(value instanceof AgentPlatformError).toBe(false);
  },
);

/** A type that is missing here does not compile. */
const everyType: Readonly<Record<ErrorType, true>> = {
  agent_platform_error: true,
  configuration_error: true,
  request_validation_error: true,
  connection_error: true,
  timeout_error: true,
  abort_error: true,
  api_error: true,
  bad_request_error: true,
  authentication_error: true,
  permission_denied_error: true,
  not_found_error: true,
  conflict_error: true,
  unprocessable_entity_error: true,
  rate_limit_error: true,
  server_error: true,
  operation_failed_error: true,
  response_validation_error: true,
  hook_error: true,
  webhook_error: true,
  webhook_verification_error: true,
  webhook_payload_error: true,
  unknown_event_error: true,
  inbox_full_error: true,
  file_gone_error: true,
  inbox_replicas_error: true,
};

test('each type has an exported class, whose name begins its printed form', () => {
  const classes = Object.entries({ ...sdk, ...inbox, FileGoneError }).filter(
    ([name, value]) => typeof value === 'function' && name.endsWith('Error'),
  ) as [string, new (...args: unknown[]) => AgentPlatformError][];
  const types: string[] = [];
  const options = { ...parts, option: 'o', hook: 'h', cause: 1, issues: [], body: 1, type: 't', payload: {} };
  for (const [exportedName, errorClass] of classes) {
    const takesOneArgument = /^(RequestValidation|UnknownEvent|Inbox\w+)Error$/.test(exportedName);
    const error = takesOneArgument ? new errorClass(options) : new errorClass('what happened', options);
    expect(error.name).toBe(exportedName);
    expect(error.stack?.startsWith(`${exportedName}: `)).toBe(true);
    expect(inspect(error).startsWith(`${exportedName}: `)).toBe(true);
    types.push(error.type);
  }
  expect(types.sort()).toEqual(Object.keys(everyType).sort());
});

test('an error is printed, and becomes JSON, with its own parts alone; its name can be set', () => {
  const error = new ConfigurationError('no', { option: 'token' });
  const own = { type: 'configuration_error', outcomeUnknown: false, option: 'token' };
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ConfigurationError', message: 'no', ...own });
  const printed = inspect(error).split('{')[1];
  expect(printed?.match(/[\w[].*(?=:)/g)).toEqual(Object.keys(own));
  error.name = 'Renamed';
  expect(String(error)).toBe('Renamed: no');
  expect(Object.keys(error)).not.toContain('name');
});

test('an error has no cause unless it is given one, and a response without issues gives none', () => {
  expect(new ConfigurationError('no', { option: 'token' })).not.toHaveProperty('cause');
  expect(new ConfigurationError('no', { option: 'token', cause: null }).cause).toBeNull();
  expect(new ApiError('no', parts).issues).toEqual([]);
  expect(new ApiError('no', { ...parts, issues: [{ message: 'one' }] }).issues).toEqual([{ message: 'one' }]);
});

test('the message names each wrong field on a line', () => {
  const issues = ['one', 'two'].map((name) => ({
    path: [name],
    code: 'invalid_id',
    message: 'expected an id',
  }));
  for (const { message } of [
    new RequestValidationError({ method: 'GET', path: '/tools', issues }),
    new WebhookPayloadError('no', { issues }),
  ]) {
    expect(message.split('\n').slice(1)).toEqual(['  - one: expected an id', '  - two: expected an id']);
  }
});

test('an event on too few replicas says how many it reached', () => {
  const error = new inbox.InboxReplicasError({ reached: 1, wanted: 2, cause: 'late' });
  expect(error.message).toContain('reached 1 of 2 replicas');
  expect(error).toMatchObject({ reached: 1, wanted: 2, cause: 'late' });
});

test('the message shows the first 100 characters of a type', () => {
  const { message, event } = new UnknownEventError({ type: 't'.repeat(500), payload: {} });
  expect(message).toContain(`"${'t'.repeat(100)}"`);
  expect(event.type).toHaveLength(500);
  expect(new UnknownEventError({ type: 'a\n"b', payload: {} }).message).toContain('type "a\\n\\"b" is');
});

const payload = { magicCode: 'm-a-g-i-c' };
const unknown = new UnknownEventError({ type: 't', payload });
const unfit = new WebhookPayloadError('no', { issues: [], payload });

test.each([
  [new WebhookError('no'), true],
  [new inbox.InboxFullError('the disk is full', 'Make room.'), true],
  [new inbox.InboxReplicasError({ reached: 0, wanted: 1 }), true],
  [new FileGoneError('no'), true],
  [new WebhookVerificationError('no'), false],
  [unknown, false],
  [unfit, false],
])('a queue can see whether to retry: %o', (error, retryable) => {
  expect(error.retryable).toBe(retryable);
});

test('an event and a payload are fields of their errors, and are not printed', () => {
  expect([unknown.event.payload, unfit.payload]).toEqual([payload, payload]);
  for (const error of [unknown, unfit]) {
    expect(inspect(error) + JSON.stringify(error)).not.toContain(payload.magicCode);
  }
});
