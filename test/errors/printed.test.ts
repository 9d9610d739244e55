import { readFileSync } from 'node:fs';
import { AgentPlatform, createWebhookReceiver, parseWebhook, parseWebhookRequest } from 'agent-platform-sdk';
import { InboxFullError, InboxReplicasError } from 'agent-platform-sdk/bullmq';
import { createFakePlatform, type FaultInput, fixtures } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { connect } from '../support/client.js';
import { closedAddress } from '../support/server.js';

const fake = createFakePlatform();
const { workspaceSecret, workspaceId, secondWorkspaceId, secondWorkspaceSecret, agentId, toolId } =
  fake.seed.eu;
const platform = new AgentPlatform({
  region: 'eu',
  token: workspaceSecret,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
  maxRetries: 0,
  logLevel: 'off',
});
const after = (fault: FaultInput, call: () => Promise<unknown>) => {
  fake.faults.inject(fault);
  return call();
};
const getTool = () => platform.tools.get(toolId);
const deleteWorkspace = () => platform.workspaces.delete(secondWorkspaceId, { token: secondWorkspaceSecret });
const receive = (body: unknown) => parseWebhook(body, { secret: 's' });

const mishaps: readonly (readonly [title: string, mishap: () => unknown, name: string])[] = [
  [
    'an unknown option',
    () => createWebhookReceiver({ secret: 's', dedup: 1 } as never),
    'ConfigurationError',
  ],
  [
    'arguments that do not fit',
    () => platform.variables.create(agentId, { required: 'yes', keys: 'plan' } as never),
    'RequestValidationError',
  ],
  ['no connection', () => after({ kind: 'refused' }, getTool), 'ConnectionError'],
  ['an open outcome', () => after({ kind: 'reset' }, deleteWorkspace), 'ConnectionError'],
  [
    'no answer',
    () => after({ kind: 'stall' }, () => platform.tools.get(toolId, { timeout: 20 })),
    'TimeoutError',
  ],
  ['a token of nobody', () => platform.tools.get(toolId, { token: 'of-nobody' }), 'AuthenticationError'],
  ['what is not allowed', () => platform.workspaces.delete(workspaceId), 'PermissionDeniedError'],
  ['what is not there', () => platform.tools.get('tool_9'), 'NotFoundError'],
  [
    'issues of the service, in colours',
    () =>
      after(
        {
          kind: 'wrong-shape',
          status: 422,
          body: {
            message: '\u001b[31mNo.',
            code: 'c',
            issues: [{ message: 'one' }, { message: '\u001b[1mtwo' }],
          },
        },
        () => platform.variables.create(agentId, { key: 'plan' }),
      ),
    'UnprocessableEntityError',
  ],
  ['a page of a proxy', () => after({ kind: 'html', status: 502 }, deleteWorkspace), 'ServerError'],
  [
    'an answer that does not fit',
    () => after({ kind: 'wrong-shape', body: { success: true, data: { name: 7 } } }, getTool),
    'ResponseValidationError',
  ],
  [
    'a payload that does not fit',
    () => receive(fixtures.delivery('lead_captured', 's', { channel: 7 as never })),
    'WebhookPayloadError',
  ],
];

test.each(mishaps)(
  'the error of %s is a first line, then places by their path, then what to try; in no colours',
  async (_, mishap, name) => {
    const form = await Promise.resolve()
      .then(mishap)
      .then(() => expect.unreachable(), String);
    const [first, ...others] = form.split('\n');
    expect(first).toMatch(new RegExp(`^${name}: \\S`));
    for (const line of others) expect(line).toMatch(/^ {2}(at \S+: |- |\S)/);
    const order = others.map((line) => (/^ {2}(at|-) /.test(line) ? 'place' : 'hint'));
    expect(order).toEqual([...order].sort().reverse());
    expect(form).toMatch(/^[\n\x20-\uffff]*$/);
  },
);

const guide = readFileSync('docs/guides/errors.md', 'utf8');
const answer = (status: number, body: unknown, call: () => Promise<unknown> = getTool) =>
  after({ kind: 'wrong-shape', status, body }, call);
const unfit = () => answer(200, { success: true, message: 'OK', data: { name: 7, channels: 'web-chat' } });
const fail = () => {
  throw new Error('by the user');
};

/** In the order of the guide. */
const inTheGuide: readonly (() => unknown)[] = [
  unfit,
  () => new AgentPlatform({ region: 'eu', token: workspaceSecret }),
  () => createWebhookReceiver({ secret: 's', dedup: 1 } as never),
  () => platform.variables.create(agentId, { required: 'yes' } as never),
  () => platform.tools.get(''),
  () => platform.withOptions({ hooks: { onRequest: fail } }).tools.get(toolId),
  async () => connect(await closedAddress()).tools.get(toolId),
  () => after({ kind: 'reset' }, deleteWorkspace),
  () => after({ kind: 'stall' }, () => platform.tools.get(toolId, { timeout: 20 })),
  () => platform.tools.get(toolId, { signal: AbortSignal.abort() }),
  () => after({ kind: 'empty', status: 302 }, getTool),
  () => platform.variables.create(agentId, { key: 'customer_name' }),
  () => platform.tools.get(toolId, { token: 'of-nobody' }),
  () => platform.workspaces.delete(workspaceId),
  () => platform.tools.get('tool_9'),
  () => answer(409, { message: 'The agent is being changed.', code: 'conflict' }),
  () => {
    const issues = [{ message: 'type is not supported' }, { message: 'key is reserved' }];
    const body = { message: 'The variable cannot be created.', code: 'unprocessable', issues };
    return answer(422, body, () => platform.variables.create(agentId, { key: 'plan' }));
  },
  () => after({ status: 429, code: 'rate_limited', message: 'Slow down.', retryAfter: 120 }, getTool),
  () => after({ kind: 'html', status: 502 }, deleteWorkspace),
  () =>
    answer(200, { isGood: false, errors: 'The number is in use.' }, () =>
      platform.phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }),
    ),
  unfit,
  () => parseWebhookRequest(fixtures.delivery('lead_captured', 's'), { verifySecret: fail }),
  () => receive(fixtures.delivery('lead_captured', 'of-nobody')),
  () =>
    receive(fixtures.delivery('lead_captured', 's', { agentId: undefined as never, channel: 7 as never })),
  () => receive('{"type":"lead_captured","payload":{"workspaceSecret":"s","a'),
  () => parseWebhook({ type: 'lead_scored', payload: { workspaceSecret } }, { secret: workspaceSecret }),
  () => Promise.reject(new InboxFullError({ used: 86, maxmemory: 100 }, 0.85)),
  () => Promise.reject(new InboxReplicasError({ reached: 0, wanted: 1 })),
];

test('the texts in the guide of errors are what is printed, word for word', async () => {
  const texts = [...guide.matchAll(/^```text\n(.*?)\n(?: {4}at … .*?\n)?```$/gms)].map(([, text]) => text);
  const printed: string[] = [];
  for (const mishap of inTheGuide) {
    const form = await Promise.resolve()
      .then(mishap)
      .then(() => expect.unreachable(), String);
    printed.push(form);
  }
  expect(printed).toEqual(texts);
});
