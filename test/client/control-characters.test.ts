import {
  type AgentPlatformError,
  ConfigurationError,
  createWebhookReceiver,
  endpoint,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cleanError } from '../../src/redis/failure.js';
import { connect, rejectionOf, success } from '../support/client.js';
import { type Answer, answerWith, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

/** Characters that clear the screen, forge a line, or turn the direction of the text. */
const HOSTILE =
  '\u001b[2J\n[agent-platform-sdk] forged\r\u0085\u009b2J\u2028\u2029\u200e\u200f\u202a\u202e\u2066\u2069\u007f.';
const OBEYED = /[^\P{Cc}\n]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]|^\[agent-platform-sdk\] forged/mu;

function logging() {
  const logger = new RecordingLogger();
  return { lines: logger.lines, options: { logger, logLevel: 'debug' } as const };
}

describe('nothing that a terminal would obey is shown of', () => {
  test.each<[string, Answer]>([
    ['a message', answerWith(400, { message: HOSTILE, code: 'c' })],
    ['a code', answerWith(400, { message: 'm', code: HOSTILE })],
    ['an issue', answerWith(422, { message: 'm', code: 'c', issues: [{ message: HOSTILE }] })],
    ['a page', answerWith(502, `<p>${HOSTILE}</p>`)],
    ['a failed envelope', answerWith(200, { success: false, message: HOSTILE })],
    ['a wrong field', answerWith(200, success({ id: { [HOSTILE]: 1 } }))],
  ])('%s', async (_, answer) => {
    const { lines, options } = logging();
    const { platform } = connectTo(answer, { ...options, validation: 'strict' });
    const error = (await rejectionOf(platform.tools.get('t1'))) as AgentPlatformError;
    expect(error.message).not.toMatch(OBEYED);
    expect(lines.join('\n')).toContain('received');
    expect(lines.join('\n')).not.toMatch(OBEYED);
  });

  test('an unknown field', async () => {
    const { lines, options } = logging();
    const body = { success: true, message: 'm', clients: [{ ID: 'c', [HOSTILE]: 1 }], teams: [] };
    await connectTo(answerWith(200, body), options).platform.orgs.listMembersAndTeams('o1');
    expect(lines.join('\n')).toContain('departs from the specification');
    expect(lines.join('\n')).not.toMatch(OBEYED);
  });

  test('a request in which a secret is masked', async () => {
    const { lines, options } = logging();
    const variable = { key: 'k', isEnv: true, value: 'a secret\nof two lines' };
    const description = `${variable.value} ${HOSTILE}`;
    const { platform } = connectTo(answerWith(200, success({ id: 'v1' })), options);
    await platform.variables.create('a1', { ...variable, description });
    expect(lines[0]).toContain('[redacted] ');
    expect(lines[0]).toContain('forged');
    expect(lines.join('\n')).not.toMatch(OBEYED);
  });

  test('an issue of a schema of the user’s', async () => {
    const response = z.unknown().check((checked) => {
      checked.issues.push({ code: 'custom', input: checked.value, message: HOSTILE });
    });
    const read = endpoint({ method: 'GET', path: '/x', response });
    const error = (await rejectionOf(connectTo(answerWith(200, {})).platform.send(read))) as Error;
    expect(error.message).toContain('forged');
    expect(error.message).not.toMatch(OBEYED);
  });

  test('what a fetch throws', async () => {
    const thrown = Object.assign(new Error(HOSTILE), { code: HOSTILE });
    const platform = connect('http://127.0.0.1', { fetch: () => Promise.reject(thrown) });
    expect(((await rejectionOf(platform.tools.get('t1'))) as Error).message).not.toMatch(OBEYED);
  });

  test('what a hook throws', async () => {
    const { lines, options } = logging();
    const onResponse = () => {
      throw Object.assign(new Error(), { name: HOSTILE });
    };
    const found = answerWith(200, success({ id: 't1' }));
    await connectTo(found, { ...options, hooks: { onResponse } }).platform.tools.get('t1');
    expect(lines.join('\n')).toContain('the hook onResponse failed');
    expect(lines.join('\n')).not.toMatch(OBEYED);
  });

  test('an option', () => {
    const options: object = { [HOSTILE]: 1 };
    expect(() => connect('http://127.0.0.1', options)).toThrow(ConfigurationError);
    expect(() => connect('http://127.0.0.1', options)).not.toThrow(OBEYED);
    expect(() => connect('http://127.0.0.1', options)).toThrow('\\u001b[2J\\n');
  });

  test('a webhook', async () => {
    const { lines, options } = logging();
    const secret = 'secret-of-a-control-test';
    const receiver = createWebhookReceiver({ secret, ...options });
    const payload = { createdAt: 1, workspaceSecret: secret, [HOSTILE]: 1 };
    for (const type of [HOSTILE, 'webhook_test']) {
      await receiver.handle({ method: 'POST', body: { type, payload, [HOSTILE]: 1 } });
    }
    expect(lines.join('\n')).toContain('forged');
    expect(lines.join('\n')).not.toMatch(OBEYED);
  });

  test('an error of Redis', () => {
    expect(cleanError(new Error(HOSTILE), []).message).not.toMatch(OBEYED);
  });
});
