import { equal, ok, thrownBy } from './harness.mjs';

export const clientChecks = {
  async 'every documented operation works'({ connect, seed: { eu } }) {
    const platform = connect({ validation: 'strict' });
    const { clients, teams } = await platform.orgs.listMembersAndTeams(eu.orgId);
    equal([clients.length, teams.length], [1, 1]);
    const variable = await platform.variables.create(eu.agentId, { key: 'plan', value: 'pro' });
    equal(variable.key, 'plan');
    ok((await platform.tools.listDefaults()).length > 0, 'expected default tools');
    equal((await platform.tools.get(eu.toolId)).id, eu.toolId);
    const conversation = await platform.conversations.get({ agentId: eu.agentId, convoId: eu.convoId });
    ok(typeof conversation.ID === 'string', 'expected a conversation');
    const number = { phoneNumberSid: eu.importedNumberSid, isImportedNumber: true };
    equal((await platform.phoneNumbers.release({ workspaceId: eu.workspaceId, ...number })).isGood, true);
    const second = platform.withOptions({ token: eu.secondWorkspaceSecret });
    equal(await second.workspaces.delete(eu.secondWorkspaceId), undefined);
  },

  async 'withResponse gives the record and the answer'({ connect, seed: { eu } }) {
    const { data, response, message } = await connect().tools.get(eu.toolId).withResponse();
    equal([data.id, response.status, typeof message], [eu.toolId, 200, 'string']);
  },

  async 'a region is another service'({ connect, seed: { eu, na } }) {
    equal((await connect({ region: 'na', token: na.workspaceSecret }).tools.get(na.toolId)).id, na.toolId);
    const error = await thrownBy(() => connect({ token: na.workspaceSecret }).tools.get(eu.toolId));
    equal([error.name, error.region], ['AuthenticationError', 'eu']);
  },

  async 'a token may be a function, called for every attempt'({ connect, seed: { eu }, fault }) {
    let calls = 0;
    const token = async () => {
      calls += 1;
      return eu.workspaceSecret;
    };
    await fault({ status: 503, retryAfter: 0, times: 1 });
    await connect({ token, maxRetries: 1 }).tools.get(eu.toolId);
    equal(calls, 2);
  },

  async 'a GET is tried again, a POST is not'({ connect, seed: { eu }, fault, requests }) {
    const platform = connect({ maxRetries: 2 });
    await fault({ status: 503, retryAfter: 0, times: 1 });
    await platform.tools.get(eu.toolId);
    equal((await requests()).length, 2);
    await fault({ status: 503, retryAfter: 0, times: 1 });
    const error = await thrownBy(() => platform.variables.create(eu.agentId, { key: 'plan' }));
    equal([error.name, (await requests()).length], ['ServerError', 3]);
  },

  async 'the service is told who calls, and in what form'({ connect, seed: { eu }, requests, runtime }) {
    await connect().variables.create(eu.agentId, { key: 'plan' });
    const [{ headers, body }] = await requests();
    equal([headers['content-type'], body], ['application/json', { variable: { key: 'plan' } }]);
    if (runtime === undefined) return;
    const agent = headers['user-agent'] ?? '';
    ok(/^agent-platform-sdk\/\d+\.\d+\.\d+ /.test(agent) && agent.endsWith(`(${runtime})`), `got ${agent}`);
  },

  async 'a schema of the user declares another operation'({ connect, sdk, seed: { eu } }) {
    const mine = sdk.endpoint({
      method: 'GET',
      path: '/tools/{toolId}',
      response: {
        '~standard': { version: 1, vendor: 'suite', validate: (value) => ({ value: value.data.name }) },
      },
    });
    equal(typeof (await connect().send(mine, { path: { toolId: eu.toolId } })), 'string');
  },

  async 'the fake answers in process'({ connect, testing }) {
    const fake = testing.createFakePlatform();
    const platform = connect({ baseUrls: fake.baseUrls, fetch: fake.fetch });
    equal((await platform.tools.get(fake.seed.eu.toolId)).id, fake.seed.eu.toolId);
    equal(fake.requests.length, 1);
  },

  async 'loading the package adds no global but the one that all copies of Zod share'({ addedGlobals }) {
    equal(
      (addedGlobals ?? []).filter((name) => name !== '__zod_globalConfig'),
      [],
    );
  },
};
