import { readFileSync } from 'node:fs';
import { endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import { listVariables } from '../../examples/bulk/operations.js';
import { startExample } from '../support/example-process.js';
import { newFile, newPath } from '../support/new-file.js';

test('bulk creates 400 variables once each, although it is killed', { timeout: 180_000 }, async () => {
  const fake = createFakePlatform({ seed: 'empty' });
  const { secret } = fake.add.workspace();
  const ids = Array.from({ length: 200 }, () => fake.add.agent().id);
  const [agents, journal] = [newFile(ids.join('\n')), newPath()];
  fake.handle(listVariables, ({ path, state, succeed }) =>
    succeed([...state.variables.values()].filter(({ agentId }) => agentId === path.agentId)),
  );
  const endpoint = endpoints.createVariable;
  fake.faults.inject({ kind: 'reset', endpoint, acts: true });
  fake.faults.inject({ kind: 'reset', endpoint });
  fake.faults.inject({ status: 400, endpoint, acts: true });
  // Holds the first run up before it is done.
  fake.faults.inject({ kind: 'rate-limit', endpoint, limit: 150, per: 60_000 });
  await using server = await fake.listen();
  const start = () =>
    startExample(
      'bulk/provision',
      {
        AGENT_PLATFORM_REGION: 'eu',
        AGENT_PLATFORM_TOKEN: secret,
        AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
      },
      [agents, journal, '20'],
    );

  const killed = start();
  const isLimited = () => expect(fake.requests.some(({ status }) => status === 429)).toBe(true);
  await vi.waitFor(isLimited, { timeout: 60_000 });
  await killed.end('SIGKILL');
  expect(fake.state.eu.variables.size).toBeGreaterThan(100);
  fake.faults.clear();
  fake.faults.inject({ status: 429, retryAfter: 1, endpoint });
  const second = start();
  await second.prints(/created, 0 failed$/);

  const keys = [...fake.state.eu.variables.values()].map(({ agentId, key }) => `${agentId}/${key}`).sort();
  expect(keys).toEqual(ids.flatMap((id) => [`${id}/language`, `${id}/plan`]).sort());
  // Each was looked at before it was repeated.
  const taken = fake.requests.filter(({ response }) => JSON.stringify(response)?.includes('already has'));
  expect(taken).toEqual([]);
  const done = readFileSync(journal, 'utf8').match(/^done .+;$/gm);
  expect(new Set(done).size).toBe(400);
});
