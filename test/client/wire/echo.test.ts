import type { AgentPlatform, ApiError } from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import { rejectionOf } from '../../support/client.js';
import { type Answer, connectTo } from '../../support/server.js';

const CANARY = 'canary-1f9d2c-of-this-test';

async function failureOf(
  call: (platform: AgentPlatform) => Promise<unknown>,
  answer: Answer,
  options: Parameters<typeof connectTo>[1] = {},
): Promise<ApiError> {
  const { platform } = await connectTo(answer, { token: CANARY, ...options });
  // Each of these answers is an error by its status.
  return (await rejectionOf(call(platform))) as ApiError;
}

const getTool = (platform: AgentPlatform): Promise<unknown> => platform.tools.get('t1');

describe('of a secret at which the answer was cut, no piece is shown', () => {
  const echo = (text: string): Answer => {
    const cut = text.indexOf('|');
    return (_, response) => {
      response.writeHead(500, { 'content-length': 10_000 });
      response.write(text.slice(0, cut), () => response.destroy());
    };
  };
  const encoded = btoa(`user:${CANARY}`);
  test.each([
    ['but the end', `<p>no access with Bearer ${CANARY.slice(0, -1)}|`, '<p>no access with [redacted]'],
    ['but the beginning', `<p>no access with ${CANARY.slice(0, 8)}|`, '<p>no access with [redacted]'],
    [
      'in JSON',
      `{"message":"no access with ${CANARY.slice(0, 12)}|`,
      '{"message":"no access with [redacted]',
    ],
    [
      'in Base64',
      `<p>Basic ${encoded.slice(0, -8)}|`,
      expect.stringMatching(/^<p>Basic .{5,9}\[redacted\]$/),
    ],
  ])('%s', async (_, text, rawBody) => {
    const error = await failureOf(getTool, echo(text));
    expect(error.rawBody).toEqual(rawBody);
  });

  test('by maxResponseBytes, between two chunks', async () => {
    const start = `<p>no access with ${CANARY.slice(0, -3)}`;
    const answer: Answer = (_, response) => {
      response.writeHead(500);
      response.write(start, () => setTimeout(() => response.end(CANARY.slice(-3).padEnd(500, '.')), 50));
    };
    const error = await failureOf(getTool, answer, { maxResponseBytes: start.length + 5 });
    expect(error.rawBody).not.toContain(CANARY.slice(0, 8));
  });

  test('within a character', async () => {
    const key = 'geheimnis-ß-of-an-echo';
    const bytes = new TextEncoder().encode(`no ${key}`);
    const answer: Answer = (_, response) => {
      response.writeHead(500, { 'content-length': 10_000 });
      response.write(bytes.subarray(0, 14), () => response.destroy());
    };
    const error = await failureOf(getTool, answer, { headers: { 'x-api-key': key } });
    expect(error.rawBody).toBe('no [redacted]');
  });

  test('but what is too short to tell a secret is left', async () => {
    const error = await failureOf(getTool, echo(`no access with ${CANARY.slice(0, 7)}|`));
    expect(error.rawBody).toBe(`no access with ${CANARY.slice(0, 7)}`);
  });
});
