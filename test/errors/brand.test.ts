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
  ServerError,
  TimeoutError,
  UnknownEventError,
  WebhookError,
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

test('a user’s subclass keeps the ordinary rule', () => {
  class MyError extends NotFoundError {}
  const mine = new MyError('m', parts);
  expect(mine).toBeInstanceOf(MyError);
  expect(mine).toBeInstanceOf(NotFoundError);
  expect(mine).toMatchObject({ name: 'NotFoundError', type: 'not_found_error' });
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
  for (const [exportedName, errorClass] of classes) {
    const options = {
      ...parts,
      option: 'o',
      hook: 'h',
      cause: 1,
      issues: [],
      body: 1,
      type: 't',
      payload: {},
    };
    const takesOneArgument = /^(RequestValidation|UnknownEvent|Inbox\w+)Error$/.test(exportedName);
    const error = takesOneArgument ? new errorClass(options) : new errorClass('what happened', options);
    expect(error.name).toBe(exportedName);
    expect(error.stack?.startsWith(`${exportedName}: `)).toBe(true);
    expect(inspect(error).startsWith(`${exportedName}: `)).toBe(true);
    types.push(error.type);
  }
  expect(types.sort()).toEqual(Object.keys(everyType).sort());
});

test('an unknown event is a field of its error, and is not printed', () => {
  const error = new UnknownEventError({
    type: 'later_event',
    payload: { createdAt: 1, magicCode: 'm-a-g-i-c' },
  });
  expect(error.event.payload.magicCode).toBe('m-a-g-i-c');
  expect(inspect(error, { showHidden: false }) + JSON.stringify(error)).not.toContain('m-a-g-i-c');
  expect(error).toBeInstanceOf(WebhookError);
});
