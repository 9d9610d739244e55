import { AuthenticationError, NotFoundError } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { clientOf } from './support/client.js';

test('the regions share no record', async () => {
  const fake = createFakePlatform();
  const { secondWorkspaceId } = fake.seed.eu;
  await clientOf(fake, { region: 'eu' }).workspaces.delete(secondWorkspaceId);

  expect(fake.state.eu.workspaces.size).toBe(1);
  expect(fake.state.na.workspaces.size).toBe(2);
});

test('each region answers with its own seed', async () => {
  const fake = createFakePlatform();

  const tool = await clientOf(fake, { region: 'na' }).tools.get(fake.seed.na.toolId);

  expect(tool.id).toBe('tool_na_1');
});

test('a token of the other region is refused by default', async () => {
  const fake = createFakePlatform();
  const getting = clientOf(fake, { region: 'na', token: fake.seed.eu.workspaceSecret }).tools.listDefaults();

  await expect(getting).rejects.toThrow(AuthenticationError);
});

test('a token of the other region can see the data of the address', async () => {
  const fake = createFakePlatform({ choices: { wrongRegion: 'data-of-address' } });
  const { tools } = clientOf(fake, { region: 'na', token: fake.seed.eu.workspaceSecret });

  expect((await tools.get(fake.seed.na.toolId)).id).toBe(fake.seed.na.toolId);
  await expect(tools.get(fake.seed.eu.toolId)).rejects.toThrow(NotFoundError);
});

test('a token of the other region can see the data of its own', async () => {
  const fake = createFakePlatform({ choices: { wrongRegion: 'data-of-token' } });
  const { tools } = clientOf(fake, { region: 'na', token: fake.seed.eu.workspaceSecret });

  expect((await tools.get(fake.seed.eu.toolId)).id).toBe(fake.seed.eu.toolId);
  await expect(tools.get(fake.seed.na.toolId)).rejects.toThrow(NotFoundError);
});
