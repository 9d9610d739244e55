import { ApiError, ConfigurationError, NotFoundError, UnknownEventError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';

const call = { method: 'GET', path: '/tools/t', region: 'eu' } as const;
const answered = { ...call, status: 404, headers: new Headers(), rawBody: '' };
const brand = Symbol.for('agent-platform-sdk.error');

class Mine extends NotFoundError {}

test.each([
  ['an error', NotFoundError],
  ["one of a user's own class", Mine],
])('%s is branded with the classes of this package, and no others', (_, ErrorClass) => {
  const error = new ErrorClass('no', answered);
  expect(Reflect.get(error, brand)).toEqual(['NotFoundError', 'ApiError', 'AgentPlatformError']);
});

test('an error has no outcome that is unknown, and no cause, unless it is told so', () => {
  const error = new ConfigurationError('no', { option: 'token' });
  expect(error.outcomeUnknown).toBe(false);
  expect(error).not.toHaveProperty('cause');
  expect(new ConfigurationError('no', { option: 'token', cause: null }).cause).toBeNull();
});

test('an answer without issues has none', () => {
  expect(new ApiError('no', answered).issues).toEqual([]);
  expect(new ApiError('no', { ...answered, issues: [{ message: 'one' }] }).issues).toEqual([
    { message: 'one' },
  ]);
});

test('a type of any length is shown short', () => {
  const { message, event } = new UnknownEventError({ type: 't'.repeat(500), payload: {} });
  expect(message).toContain(`"${'t'.repeat(100)}"`);
  expect(event.type).toHaveLength(500);
});
