import type { AgentPlatformError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { Masker } from '../../src/client/transport/masker.js';
import { describeBody } from '../../src/client/transport/response-body.js';
import { retryAfter } from '../../src/client/transport/retry.js';
import { rejectionOf } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

test.each([
  [{ success: false }, '(success: false): without a reason'],
  [{ success: false, message: '' }, '(success: false): without a reason'],
  [{ success: false, message: 'no' }, '(success: false): no'],
  [{ isGood: false, errors: 'rented' }, '(isGood: false): rented'],
  [{ isGood: false, errors: 7 }, '(isGood: false): without a reason'],
])('the failed envelope %j is told as it is', async (body, words) => {
  const { platform } = connectTo(answerWith(200, body));
  const error = (await rejectionOf(platform.tools.get('t'))) as AgentPlatformError;
  expect(error.type).toBe('operation_failed_error');
  expect(error.message).toContain(words);
});

test.each([
  ['', 'an empty body'],
  ['  \n', 'an empty body'],
  ['\n <!doctype html><p>', 'an HTML page'],
  ['<HTML>', 'an HTML page'],
  ['see <html>', 'text that is not JSON'],
  [' {"a":', 'broken or unexpected JSON'],
  ['[', 'broken or unexpected JSON'],
  ['a [', 'text that is not JSON'],
])('the body %j is called %s', (text, name) => {
  expect(describeBody(text)).toBe(name);
});

test('what the service says is told on one line', () => {
  const masker = new Masker({ secrets: [], sentValues: [] });
  expect(masker.quote('  it \n\n\t broke  ')).toBe('it broke');
});

test.each([
  ['5', 5],
  ['1.5', 1.5],
  ['5 minutes', undefined],
  ['in 5', undefined],
  ['', undefined],
  ['5 GMT later', undefined],
])('Retry-After: %j means %s seconds', (value, seconds) => {
  expect(retryAfter(new Headers({ 'retry-after': value }))).toBe(seconds);
});
