import {
  ApiError,
  endpoint,
  NotFoundError,
  OperationFailedError,
  PermissionDeniedError,
} from 'agent-platform-sdk';
import {
  createFakePlatform,
  defaultChoices,
  type FakeChoicesInput,
  type RefusalReason,
} from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { clientOf, send } from './support/client.js';

const faked = (choices: FakeChoicesInput) => createFakePlatform({ choices });

test('a choice, a refusal or an address that is undefined is the default', async () => {
  const choices = { successStatus: undefined, permits: undefined, refusals: { notFound: undefined } };
  const options: object = { choices, baseUrls: { eu: undefined } };
  const fake = createFakePlatform(options);

  expect(fake.baseUrls).toEqual(createFakePlatform().baseUrls);
  expect((await send(fake, '/v3/tools/defaults')).status).toBe(200);
  expect((await send(fake, '/v3/tools/nowhere')).status).toBe(404);
});

test('successStatus, but for the one status that is documented (4.1)', async () => {
  const fake = faked({ successStatus: 201 });
  const statusOf = async (path: string) => (await send(fake, path)).status;

  expect(await statusOf('/v3/tools/defaults')).toBe(201);
  expect(fake.requests).toMatchObject([{ status: 201 }]);
  expect(await statusOf(`/v3/orgs/${fake.seed.eu.orgId}/members-and-teams`)).toBe(200);
});

test.each([200, 299])('a success or a refusal may have the status %i', async (status) => {
  const fake = faked({ successStatus: status, refusals: { notFound: { status, code: 'gone' } } });
  const statusOf = async (path: string) => (await send(fake, path)).status;

  expect([await statusOf('/v3/tools/defaults'), await statusOf('/v3/tools/x')]).toEqual([status, status]);
});

test('successStatus without a body', async () => {
  const fake = faked({ successStatus: 204 });
  const { secondWorkspaceId, secondWorkspaceSecret } = fake.seed.eu;
  const headers = { authorization: `Bearer ${secondWorkspaceSecret}` };
  const response = await send(fake, `/v3/workspaces/${secondWorkspaceId}`, { method: 'DELETE', headers });

  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('successMessage', async () => {
  const { message } = await clientOf(faked({ successMessage: 'Done' }))
    .tools.listDefaults()
    .withResponse();

  expect(message).toBe('Done');
});

test('refusals, each by itself', async () => {
  const fake = faked({ refusals: { notFound: { status: 410, code: 'gone' } } });

  await expect(clientOf(fake).tools.get('x')).rejects.toMatchObject({ status: 410, code: 'gone' });
  await expect(clientOf(fake, { token: 'token-of-nobody' }).tools.listDefaults()).rejects.toMatchObject({
    status: 401,
  });
});

test('each refusal has a status and a code of its own', async () => {
  const names = Object.keys(defaultChoices.refusals) as RefusalReason[];
  const own = names.map((name, index) => [name, { status: 588 + index, code: name }] as const);
  // The status of a duplicate key is the specification's.
  const refusals = {
    ...Object.fromEntries(own),
    duplicateKey: { status: 400, code: 'duplicateKey' },
  } as const;
  const fake = faked({ refusals });
  const { eu, na } = fake.seed;
  const broken = endpoint({ method: 'GET', path: '/broken', response: z.unknown() });
  fake.handle(broken, () => {
    throw new Error('no');
  });
  const json = { 'content-type': 'application/json' };
  const asked = async (path: string, init: RequestInit = {}, token = eu.workspaceSecret) => {
    const headers = { ...json, authorization: `Bearer ${token}` };
    const { code } = (await (await send(fake, `/v3${path}`, { ...init, headers })).json()) as {
      code: string;
    };
    return code;
  };
  const post = (value: unknown) => ({ method: 'POST', body: JSON.stringify(value) });
  const release = '/utils/telco/release-number';
  const number = { phoneNumberSid: eu.rentedNumberSid, isImportedNumber: true };
  const second = eu.secondWorkspaceSecret;

  expect([
    await asked(release, post({})),
    await asked(`/agents/${eu.agentId}/variables`, post({ variable: { key: eu.variableKey } })),
    await asked('/tools/defaults', {}, 'nobody'),
    await asked('/tools/defaults', {}, na.workspaceSecret),
    await asked(`/tools/${eu.toolId}`, {}, second),
    await asked(`/agents/${eu.agentId}/convos/not_there`, {}, second),
    await asked(`/workspaces/${eu.workspaceId}`, { method: 'DELETE' }, second),
    await asked(`/workspaces/${eu.workspaceId}`, { method: 'DELETE' }),
    await asked('/tools/not_there'),
    await asked(release, post(number)),
    await asked('/nowhere'),
    await asked('/broken'),
  ]).toEqual(names);
});

test('permits', async () => {
  const fake = faked({
    permits: ({ caller, operation }) => caller.kind === 'workspace' || operation !== 'listDefaultTools',
  });
  const asAgent = clientOf(fake, { token: fake.seed.eu.agentSecret });

  await expect(asAgent.tools.listDefaults()).rejects.toThrow(PermissionDeniedError);
  await expect(asAgent.tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();
  await expect(clientOf(fake).tools.listDefaults()).resolves.toBeDefined();
});

test('ownsAgent', async () => {
  const fake = faked({ ownsAgent: (caller) => caller.kind === 'workspace' });
  const { agentId, convoId, secondWorkspaceSecret, agentSecret } = fake.seed.eu;
  const reading = (token: string) => clientOf(fake, { token }).conversations.get({ agentId, convoId });

  await expect(reading(secondWorkspaceSecret)).resolves.toBeDefined();
  await expect(reading(agentSecret)).rejects.toThrow(PermissionDeniedError);
});

test('ownsWorkspace', async () => {
  const fake = faked({
    ownsWorkspace: (caller, { ownerIds }) => caller.workspace.ownerIds.some((id) => ownerIds.includes(id)),
  });
  const { id: ofAnother } = fake.add.workspace({ ownerIds: ['somebody_else'] });
  const { workspaces } = clientOf(fake);

  await workspaces.delete(fake.seed.eu.secondWorkspaceId);
  await expect(workspaces.delete(ofAnother)).rejects.toThrow(PermissionDeniedError);
});

test('conversationId', async () => {
  const fake = faked({ conversationId: (agentId, convoId) => `${convoId}@${agentId}` });
  const { agentId, convoId } = fake.seed.eu;

  expect((await clientOf(fake).conversations.get({ agentId, convoId })).ID).toBe(`${convoId}@${agentId}`);
});

test('variableType', async () => {
  const fake = faked({ variableType: 'text' });
  const { variables } = clientOf(fake);

  expect((await variables.create(fake.seed.eu.agentId, { key: 'a' })).type).toBe('text');
  expect((await variables.create(fake.seed.eu.agentId, { key: 'b', type: 'string' })).type).toBe('string');
});

test('releaseErrors', async () => {
  const fake = faked({ releaseErrors: 'none' });
  const input = { phoneNumberSid: fake.seed.eu.rentedNumberSid, isImportedNumber: false };

  expect(await clientOf(fake).phoneNumbers.release(input)).toEqual({ isGood: true, errors: 'none' });
});

test('refusedRelease', async () => {
  const input = { phoneNumberSid: 'nowhere', isImportedNumber: false };
  const releasing = (choices: FakeChoicesInput) => clientOf(faked(choices)).phoneNumbers.release(input);

  await expect(releasing({})).rejects.toThrow(NotFoundError);
  const told = releasing({ refusedRelease: 'isGood-false' });
  await expect(told).rejects.toThrow(OperationFailedError);
  await expect(told).rejects.toThrow('has no number "nowhere"');
  const fake = faked({ refusedRelease: 'isGood-false' });
  const rented = { phoneNumberSid: fake.seed.eu.rentedNumberSid, isImportedNumber: true };
  await expect(clientOf(fake).phoneNumbers.release(rented)).rejects.toThrow(OperationFailedError);
});

test('numberKindMismatch', async () => {
  const releasing = (choices: FakeChoicesInput) => {
    const fake = faked(choices);
    const input = { phoneNumberSid: fake.seed.eu.rentedNumberSid, isImportedNumber: true };
    return { fake, released: clientOf(fake).phoneNumbers.release(input) };
  };

  await expect(releasing({}).released).rejects.toThrow(ApiError);
  const { fake, released } = releasing({ numberKindMismatch: 'follow-request' });
  await released;
  const { rentedNumberSid: sid, importedNumberSid } = fake.seed.eu;
  expect(fake.state.eu.phoneNumbers.get(sid)).toEqual({ sid, imported: false, workspaceId: undefined });
  const asRented = { phoneNumberSid: importedNumberSid, isImportedNumber: false };
  await clientOf(fake).phoneNumbers.release(asRented);
  expect([...fake.state.eu.releasedForGood]).toEqual([importedNumberSid]);
});

test.each<[object, string]>([
  [{ chioces: {} }, 'the option "chioces" is not known. Known: regions, seed, choices'],
  [{ constructor: {} }, 'the option "constructor" is not known'],
  [{ choices: { toString: 1 } }, 'the choice "toString" is not known'],
  [{ choices: { refusals: { valueOf: {} } } }, 'the refusal "valueOf" is not known'],
  [{ seed: 'defualt' }, 'the option "seed" must be'],
  [{ choices: { succesStatus: 201 } }, 'the choice "succesStatus" is not known. Known: successStatus'],
  [{ choices: { refusals: { notfound: {} } } }, 'the refusal "notfound" is not known. Known: invalidRequest'],
  [{ baseUrls: { EU: 'https://a.test' } }, 'the region of baseUrls "EU" is not known. Known: eu, na.'],
  [{ regions: { us: {} } }, 'the region "us" is not known. Known: eu, na.'],
  [{ regions: { eu: { tool: [] } } }, 'the collection of regions.eu "tool" is not known. Known: workspaces,'],
  [{ regions: { na: { toString: [] }, eu: undefined } }, 'the collection of regions.na "toString" is not'],
])('a misspelt option is refused: %j', (options, message) => {
  expect(() => createFakePlatform(options)).toThrow(TypeError);
  expect(() => createFakePlatform(options)).toThrow(`createFakePlatform: ${message}`);
});

test.each<[object, string]>([
  [{ wrongRegion: 'refused' }, 'wrongRegion: expected one of "refuse", "data-of-address", "data-of-token"'],
  [{ refusedRelease: 'isGood' }, 'refusedRelease: expected one of'],
  [{ numberKindMismatch: null }, 'numberKindMismatch: expected one of'],
  [{ successStatus: 404 }, 'successStatus: expected at most 299'],
  [{ successStatus: 199 }, 'successStatus: expected at least 200'],
  [{ successStatus: 200.5 }, 'successStatus: expected int'],
  [{ successStatus: '201' }, 'successStatus: expected number'],
  [{ successMessage: 1 }, 'successMessage: expected string'],
  [
    { successStatus: 404, permits: true },
    'successStatus: expected at most 299\n  - permits: expected a function',
  ],
  [{ variableType: true }, 'variableType: expected string'],
  [{ releaseErrors: [] }, 'releaseErrors: expected string'],
  [{ permits: true }, 'permits: expected a function'],
  [{ ownsAgent: 'all' }, 'ownsAgent: expected a function'],
  [{ ownsWorkspace: {} }, 'ownsWorkspace: expected a function'],
  [{ conversationId: 'convo' }, 'conversationId: expected a function'],
  [
    { refusals: { notFound: { status: 42, code: 'gone' } } },
    'refusals.notFound.status: expected at least 200',
  ],
  [{ refusals: { notFound: { status: 410 } } }, 'refusals.notFound.code: '],
  [{ refusals: { notFound: { status: 600, code: 'x' } } }, 'refusals.notFound.status: expected at most 599'],
  [{ refusals: { notFound: { status: 410, code: 'x', text: '' } } }, 'refusals.notFound.text: unknown field'],
  [{ refusals: { duplicateKey: { status: 409, code: 'x' } } }, 'refusals.duplicateKey.status: expected'],
  [{ refusals: { duplicateKey: { status: 400 } } }, 'refusals.duplicateKey.code: required'],
  [{ refusals: { duplicateKey: { status: 400, code: 'x', text: '' } } }, 'duplicateKey.text: unknown field'],
])('a wrong value of a choice is refused: %j', (choices, message) => {
  expect(() => createFakePlatform({ choices })).toThrow(`createFakePlatform: the choices are wrong`);
  expect(() => createFakePlatform({ choices })).toThrow(message);
});
