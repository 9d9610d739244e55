import { inspect } from 'node:util';
import * as sdk from 'agent-platform-sdk';
import {
  AgentPlatformError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnknownEventError,
  WebhookError,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';

const call = { method: 'GET', path: '/x', region: 'eu' } as const;
const answered = { ...call, status: 404, headers: new Headers(), rawBody: '' };

test('instanceof follows the tree of classes', () => {
  const error = new NotFoundError('m', answered);
  for (const errorClass of [NotFoundError, ApiError, AgentPlatformError, Error]) {
    expect(error).toBeInstanceOf(errorClass);
  }
  for (const errorClass of [RateLimitError, ServerError, ConnectionError, ConfigurationError]) {
    expect(error).not.toBeInstanceOf(errorClass);
  }
  expect(new TimeoutError('m', call)).toBeInstanceOf(ConnectionError);
});

test('instanceof works for an error of another copy of this package', async () => {
  vi.resetModules();
  const other = await import('agent-platform-sdk');
  expect(other.NotFoundError).not.toBe(NotFoundError);
  const error = new other.NotFoundError('m', answered);
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).not.toBeInstanceOf(RateLimitError);
});

test('a user’s subclass keeps the ordinary rule', () => {
  class MyError extends NotFoundError {}
  const mine = new MyError('m', answered);
  expect(mine).toBeInstanceOf(MyError);
  expect(mine).toBeInstanceOf(NotFoundError);
  expect(mine).toMatchObject({ name: 'NotFoundError', type: 'not_found_error' });
  expect(new NotFoundError('m', answered)).not.toBeInstanceOf(MyError);
});

test.each([[null], [undefined], ['text'], [{}], [new Error('other')], [{ name: 'NotFoundError' }]])(
  '%s is no error of ours',
  (value) => {
    expect(value instanceof NotFoundError).toBe(false);
    expect(value instanceof AgentPlatformError).toBe(false);
  },
);

test('every exported error class has its own name and type, and its printed form begins with the name', () => {
  const classes = Object.entries(sdk).filter(
    ([name, value]) => typeof value === 'function' && name.endsWith('Error'),
  ) as [string, new (...args: unknown[]) => AgentPlatformError][];
  expect(classes.length).toBeGreaterThanOrEqual(20);
  const types = new Set<string>();
  for (const [exportedName, errorClass] of classes) {
    const options = {
      ...answered,
      option: 'o',
      hook: 'h',
      cause: 1,
      issues: [],
      body: 1,
      type: 't',
      payload: {},
    };
    const takesOneArgument = ['RequestValidationError', 'UnknownEventError'].includes(exportedName);
    const error = takesOneArgument ? new errorClass(options) : new errorClass('what happened', options);
    expect(error.name).toBe(exportedName);
    expect(error.stack?.startsWith(`${exportedName}: `)).toBe(true);
    expect(inspect(error).startsWith(`${exportedName}: `)).toBe(true);
    types.add(error.type);
  }
  expect(types.size).toBe(classes.length);
});

test('an unknown event is carried by its error, but not printed with it', () => {
  const error = new UnknownEventError({
    type: 'later_event',
    payload: { createdAt: 1, magicCode: 'm-a-g-i-c' },
  });
  expect(error.event.payload.magicCode).toBe('m-a-g-i-c');
  expect(inspect(error, { showHidden: false }) + JSON.stringify(error)).not.toContain('m-a-g-i-c');
  expect(error).toBeInstanceOf(WebhookError);
});
