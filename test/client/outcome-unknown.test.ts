import { test } from 'vitest';
import { expectOutcome } from '../support/client.js';
import { type Answer, answerWith, connectTo } from '../support/msw.js';

const refusal = { message: 'no', code: 'no' };

const outcomes: [string, Answer, boolean][] = [
  ['a 200 with HTML', answerWith(200, '<html></html>'), true],
  ['a 200 with truncated JSON', answerWith(200, '{"success":tr'), true],
  ['a 200 of a wrong shape', answerWith(200, [1]), true],
  ['a 502 with an empty body', answerWith(502), true],
  ['a 500 with HTML', answerWith(500, '<html></html>'), true],
  ['a 502 with the error body', answerWith(502, refusal), true],
  ['a 504 with the error body', answerWith(504, refusal), true],
  ['a 408 with the error body', answerWith(408, refusal), true],
  ...[520, 522, 524, 598, 599].map((status): [string, Answer, boolean] => [
    `a ${status} of a proxy with the error body`,
    answerWith(status, refusal),
    true,
  ]),
  ['a 303 with the error body, which says: done, see there', answerWith(303, refusal), true],
  ['a 302 with the error body', answerWith(302, refusal), true],
  ['a 307 with HTML', answerWith(307, '<html></html>'), false],
  ['a 308 with the error body', answerWith(308, refusal), false],
  ['a 501 with the error body', answerWith(501, refusal), false],
  ['a 500 with the error body', answerWith(500, refusal), false],
  ['a 500 without a code', answerWith(500, { message: 'm' }), true],
  ['a 500 without a message', answerWith(500, { code: 'c' }), true],
  ['a 500 with an empty record', answerWith(500, {}), true],
  ['a 400 with the error body', answerWith(400, refusal), false],
  ['a 403 with HTML', answerWith(403, '<html></html>'), false],
  ['a 429', answerWith(429), false],
  ['success: false', answerWith(200, { success: false, message: 'no' }), false],
];

test.each(outcomes)('%s', async (_, answer, unknown) => {
  await expectOutcome(async () => connectTo(answer).platform, unknown);
});
