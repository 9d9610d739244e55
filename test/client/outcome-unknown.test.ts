import type { AgentPlatform, AgentPlatformError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { rejectionOf } from '../support/client.js';
import { type Answer, answerWith, connectTo } from '../support/msw.js';

const calls: [string, (platform: AgentPlatform) => Promise<unknown>][] = [
  ['POST', (platform) => platform.variables.create('a1', { key: 'k' })],
  ['DELETE', (platform) => platform.workspaces.delete('w1')],
  ['GET', (platform) => platform.tools.get('t1')],
];

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
  for (const [method, call] of calls) {
    const { platform } = connectTo(answer);
    const error = (await rejectionOf(call(platform))) as AgentPlatformError;
    expect(error.outcomeUnknown, `${method}: ${error.message}`).toBe(method !== 'GET' && unknown);
    if (error.outcomeUnknown) expect(error.message).toContain('look before you try again');
  }
});
