import type { TokenSource } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { connect } from '../../support/client.js';
import { withEach } from '../support/operations.js';
import { isUnknown, outcomeOf } from '../support/outcome.js';
import { startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { wire } from '../support/wire.js';

/** A token function as untyped code may write it. */
const returning = (value: unknown) => () => value as string;

const sources: readonly [name: string, token: TokenSource, type: string][] = [
  [
    'throws',
    () => {
      throw new Error('no vault');
    },
    'configuration_error',
  ],
  ['throws nothing', () => Promise.reject(undefined), 'configuration_error'],
  ['rejects', () => Promise.reject(new Error('no vault')), 'configuration_error'],
  [
    'rejects late',
    () => new Promise((_, reject) => setTimeout(reject, 20, new Error('no'))),
    'configuration_error',
  ],
  ['rejects after the timeout', () => new Promise((_, reject) => setTimeout(reject, 400)), 'timeout_error'],
  ['never settles', () => new Promise(() => undefined), 'timeout_error'],
  ['returns an empty string', () => '', 'configuration_error'],
  ['returns a blank string', () => ' \t\n', 'configuration_error'],
  ['returns nothing', returning(undefined), 'configuration_error'],
  ['returns null', returning(null), 'configuration_error'],
  ['returns a number', returning(42), 'configuration_error'],
  ['returns an object', returning({ token: 'secret-in-an-object' }), 'configuration_error'],
  ['returns a function', returning(() => 'secret-of-a-function'), 'configuration_error'],
  ['returns a line break', () => 'secret-part\r\nx-injected: 1', 'configuration_error'],
  ['returns what no header can hold', () => 'secret-\u{1f600}', 'configuration_error'],
];

test.each(sources)('a token function that %s: nothing is sent', async (_, token, type) => {
  watchProcess();
  const server = await startRawServer((socket) => void socket.end(wire('200 OK', [], '{}')));
  const platform = connect(server.url, { token, timeout: 200, maxRetries: 1 });
  await withEach(async (operation) => {
    const outcome = await outcomeOf(operation.call(platform));
    expect(outcome.type, operation.name).toBe(type);
    expect(isUnknown(outcome), operation.name).toBe(false);
  });
  expect(server.requests).toHaveLength(0);
});
