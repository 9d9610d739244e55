import { createWebhookReceiver, parseWebhook } from 'agent-platform-sdk';
import { type FaultInput, fixtures } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { addFaults, createClient, seed } from '../support/client.js';

const { workspaceId, secondWorkspaceId, secondWorkspaceSecret, agentId, toolId } = seed;
const platform = createClient();
const after = (fault: FaultInput, call: () => Promise<unknown>) => {
  addFaults(fault);
  return call();
};
const getTool = () => platform.tools.get(toolId);
const deleteWorkspace = () => platform.workspaces.delete(secondWorkspaceId, { token: secondWorkspaceSecret });
const refused = () =>
  Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') }));
const receive = (body: unknown) => parseWebhook(body, { secret: 's' });

const mishaps: readonly (readonly [title: string, mishap: () => unknown, name: string])[] = [
  [
    'an unknown option',
    () => createWebhookReceiver({ secret: 's', dedup: 1 } as never),
    'ConfigurationError',
  ],
  [
    'wrong arguments',
    () => platform.variables.create(agentId, { required: 'yes', keys: 'plan' } as never),
    'RequestValidationError',
  ],
  ['no connection', () => createClient({ fetch: refused }).tools.get(toolId), 'ConnectionError'],
  ['an unknown outcome', () => after({ kind: 'reset' }, deleteWorkspace), 'ConnectionError'],
  [
    'no response',
    () => after({ kind: 'stall' }, () => platform.tools.get(toolId, { timeout: 20 })),
    'TimeoutError',
  ],
  ['an unknown token', () => platform.tools.get(toolId, { token: 'of-nobody' }), 'AuthenticationError'],
  [
    'an operation that is not permitted',
    () => platform.workspaces.delete(workspaceId),
    'PermissionDeniedError',
  ],
  ['an unknown record', () => platform.tools.get('tool_9'), 'NotFoundError'],
  [
    'issues of the service, in colours',
    () =>
      after(
        {
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
  ['a page of a proxy', () => after({ status: 502, body: '<h1>502</h1>' }, deleteWorkspace), 'ServerError'],
  [
    'a response that does not match its schema',
    () => after({ status: 200, body: { success: true, data: 7 } }, getTool),
    'ResponseValidationError',
  ],
  [
    'a payload that does not match its schema',
    () => receive(fixtures.delivery('agent_deleted', 's', { agentId: undefined })),
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
