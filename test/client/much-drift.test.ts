import { isDeepStrictEqual } from 'node:util';
import type { Drift } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { rejectionOf, success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

// So many that a call with one argument for each would overflow the stack.
const MANY = 150_000;

const members = (client: object) => ({
  success: true,
  message: 'ok',
  clients: Array.from({ length: MANY }, (_, index) => ({ ID: `c${index}`, ...client })),
  teams: [],
});

test('a new field in each of very many clients is drift, and takes no one down', async () => {
  const drifts: Drift[] = [];
  const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
  const { platform } = connectTo(answerWith(200, members({ grown: 1 })), { hooks });
  const { clients } = await platform.orgs.listMembersAndTeams('o1');
  expect(isDeepStrictEqual(clients, members({ grown: 1 }).clients)).toBe(true);
  expect(drifts).toHaveLength(1);
  expect(drifts[0]?.issues).toHaveLength(101);
  expect(drifts[0]?.issues[100]).toMatchObject({ message: `and ${MANY - 100} more issue(s)` });
});

test('a wrong field behind very many new ones is still found', async () => {
  const body = members({ grown: 1 });
  body.teams.push({ ID: 7 } as never);
  const { platform } = connectTo(answerWith(200, body));
  expect(await rejectionOf(platform.orgs.listMembersAndTeams('o1'))).toMatchObject({
    type: 'response_validation_error',
    issues: [{ path: ['teams', 0, 'ID'] }],
  });
});

test.each(['strict', 'tolerant'] as const)(
  'very many wrong elements are an error that lists some: %s',
  async (validation) => {
    const { platform } = connectTo(answerWith(200, success({ id: 't', channels: Array(MANY).fill(1) })), {
      validation,
    });
    const error = (await rejectionOf(platform.tools.get('t'))) as { issues: unknown[] };
    expect(error).toMatchObject({ type: 'response_validation_error' });
    expect(error).not.toHaveProperty('cause');
    expect(error.issues).toHaveLength(101);
  },
);

test('report passes very many wrong elements on', async () => {
  const channels = Array(MANY).fill(1);
  const { platform } = connectTo(answerWith(200, success({ id: 't', channels })), {
    validation: 'report',
  });
  expect((await platform.tools.get('t')).channels).toHaveLength(MANY);
});
