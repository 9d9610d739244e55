import type { ApiError } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import { rejectionOf, TOKEN } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const inAscii = (text: string): string =>
  text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('a header whose name repeats the token is named otherwise', async () => {
  const headers = { [`x-${TOKEN}`]: 'yes', 'x-other': 'yes' };
  const { platform } = connectTo(answerWith(404, { message: 'no', code: 'c' }, headers));
  const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
  expect(Object.keys(Object.fromEntries(error.headers))).toEqual(
    expect.arrayContaining(['redacted', 'x-other']),
  );
  expect(JSON.stringify(error)).not.toContain(TOKEN);
});

describe('a header that holds JSON with characters beyond Latin-1', () => {
  const plain = inAscii('{"name":"中文","line":"\u2028"}');
  const marked = inAscii('{"name":"中文\u{1f600}","magicCode":"s3cret"}');
  const headers = { 'x-plain': plain, 'x-marked': marked };

  test.each([400, 404, 429, 503])('breaks no error: %i', async (status) => {
    const { platform } = connectTo(answerWith(status, { message: 'no', code: 'c' }, headers));
    const error = (await rejectionOf(platform.tools.get('t1'))) as ApiError;
    expect(error.status).toBe(status);
    expect(error.headers.get('x-plain')).toBe(plain);
    expect(error.headers.get('x-marked')).toBe(marked.replace('"s3cret"', '[redacted]'));
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });

  test('ends no call that succeeded', async () => {
    const told: Headers[] = [];
    const { platform } = connectTo(answerWith(200, { success: true, message: 'gone' }, headers), {
      hooks: { onResponse: (response) => void told.push(response.headers) },
    });
    expect(await platform.workspaces.delete('w1')).toBeUndefined();
    expect(told.map((one) => one.get('x-plain'))).toEqual([plain]);
  });
});
