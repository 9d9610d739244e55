import { equal, ok, thrownBy } from './harness.mjs';

const LONG = 600_000;
const TOKEN = 'canary-token-of-the-suite';

/** Returns a value as `console.log`, a log line and `JSON.stringify` print it. */
function printed(value) {
  const node = globalThis.process?.getBuiltinModule?.('node:util');
  const { inspect } = node ?? globalThis.Deno ?? { inspect: String };
  return [String(value), value.stack, JSON.stringify(value), inspect(value)].join('\n');
}

export const calls = {
  async 'performs the operations'({ connect, eu }) {
    const { agentId, convoId } = eu;
    const platform = connect({ validation: 'strict' });
    const { clients, teams } = await platform.orgs.listMembersAndTeams(eu.orgId);
    equal([clients.length, teams.length], [1, 1]);
    equal((await platform.variables.create(eu.agentId, { key: 'plan', value: 'pro' })).key, 'plan');
    ok((await platform.tools.listDefaults()).length > 0, 'no default tools');
    equal((await platform.tools.get(eu.toolId)).id, eu.toolId);
    const { data, response } = await platform.conversations.get({ agentId, convoId }).withResponse();
    equal([typeof data.ID, response.status], ['string', 200]);
    const number = { phoneNumberSid: eu.importedNumberSid, isImportedNumber: true };
    equal((await platform.phoneNumbers.release({ workspaceId: eu.workspaceId, ...number })).isGood, true);
    const second = platform.withOptions({ token: eu.secondWorkspaceSecret });
    equal(await second.workspaces.delete(eu.secondWorkspaceId), undefined);
  },

  async 'sends JSON and names the runtime'({ connect, eu, requests, agent }) {
    await connect().variables.create(eu.agentId, { key: 'plan' });
    const [{ headers, body }] = await requests();
    equal([headers['content-type'], body], ['application/json', { variable: { key: 'plan' } }]);
    ok(headers['user-agent'].endsWith(`(${agent})`), headers['user-agent']);
  },

  // notion-sdk-js#681: as a method of the client's settings, that of workerd throws.
  async 'takes `fetch` as an option'({ connect, eu }) {
    equal((await connect({ fetch }).tools.get(eu.toolId)).id, eu.toolId);
  },

  async 'rejects if the response is truncated or never comes'({ connect, eu, fault }) {
    const create = () => connect().variables.create(eu.agentId, { key: 'plan' });
    await fault({ kind: 'truncated' });
    const cut = await thrownBy(create);
    equal([cut.name, cut.outcomeUnknown], ['ResponseValidationError', true]);
    // Always, because Deno itself repeats a request if a reused connection is reset:
    // https://github.com/denoland/deno/pull/32566
    await fault({ kind: 'reset', times: 'always' });
    const reset = await thrownBy(create);
    equal([reset.name, reset.outcomeUnknown], ['ConnectionError', true]);
  },

  async 'knows that a refused connection sent nothing'({ connect, eu, agent }) {
    // Nobody listens there, and it is none of the ports that `fetch` blocks.
    const nowhere = connect({ baseUrls: { eu: 'http://127.0.0.1:2' } });
    const error = await thrownBy(() => nowhere.workspaces.delete(eu.workspaceId));
    // workerd does not tell a refused connection from one that was cut.
    equal([error.name, error.outcomeUnknown], ['ConnectionError', agent === 'workerd']);
  },

  async 'keeps the stack of an error that nobody awaits'({ connect, eu, fault }) {
    await fault({ kind: 'latency', ms: LONG });
    const platform = connect({ timeout: 50 });
    for (const id of [eu.toolId, 'no-such-tool']) {
      const error = await new Promise((resolve) => void platform.tools.get(id).catch(resolve));
      // Not frames of the runtime alone, which say nothing.
      ok(/toTimeoutOrAbort|toApiError|worker\.mjs/.test(error.stack), error.stack);
    }
  },

  async 'follows no redirect'({ connect, eu, fault, requests }) {
    await fault({ status: 307, headers: { location: '/eu/v3/tools/defaults' } });
    const error = await thrownBy(() => connect().tools.get(eu.toolId));
    equal([typeof error.type, (await requests()).length], ['string', 1]);
  },

  async 'times out before and within the body'({ connect, eu, fault }) {
    await fault({ kind: 'latency', ms: LONG });
    equal((await thrownBy(() => connect({ timeout: 100 }).tools.get(eu.toolId))).name, 'TimeoutError');
    await fault({ kind: 'stall', after: 5 });
    equal((await thrownBy(() => connect({ timeout: 300 }).tools.get(eu.toolId))).name, 'TimeoutError');
  },

  async 'aborts a call before and within the body'({ connect, eu, fault }) {
    for (const kind of ['latency', 'stall']) {
      await fault(kind === 'stall' ? { kind, after: 5 } : { kind, ms: LONG });
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error('enough')), 200);
      const error = await thrownBy(() => connect().tools.get(eu.toolId, { signal: controller.signal }));
      equal([error.name, error.cause?.message], ['AbortError', 'enough']);
    }
  },

  async 'prints no token'({ connect, fault }) {
    const platform = connect({ token: TOKEN, headers: { 'x-api-key': TOKEN } });
    const refused = await thrownBy(() => platform.tools.get('tool'));
    await fault({ status: 500, body: { message: `echo ${TOKEN}`, token: TOKEN } });
    const echoed = await thrownBy(() => platform.tools.get('tool'));
    equal([refused.status, echoed.status], [401, 500]);
    const text = [platform, refused, echoed].map(printed).join('\n');
    ok(!text.includes(TOKEN), text);
  },
};

/** Beside another copy of the package, such as that of the other format: zod#5452, headstartwp#504. */
export const copies = {
  async 'takes the endpoints, schemas and errors of another copy'(context) {
    const { connect, sdk, other, eu, fault, requests } = context;
    ok(sdk.AgentPlatform !== other.AgentPlatform, 'they are one copy');
    const drift = [];
    const platform = connect({ hooks: { onDrift: ({ issues }) => drift.push(...issues) } });
    const { createVariable, getTool } = other.endpoints;
    const misspelt = { path: { agentId: eu.agentId }, body: { variable: { key: 'k', descripton: 'x' } } };
    const refused = await thrownBy(() => platform.send(createVariable, misspelt));
    equal([refused instanceof other.RequestValidationError, (await requests()).length], [true, 0]);
    const response = other.withData(sdk.ToolSchema);
    const mixed = other.endpoint({ method: 'GET', path: '/tools/{toolId}', response });
    const body = { success: true, message: '', data: { id: 'tool', name: null } };
    for (const endpoint of [getTool, mixed]) {
      await fault({ status: 200, body });
      equal((await platform.send(endpoint, { path: { toolId: 'tool' } })).name, null);
      ok(
        drift.splice(0).some(({ path }) => path.join('.') === 'data.name'),
        'no drift',
      );
    }
    const missing = await thrownBy(() => platform.tools.get('nowhere'));
    ok(missing instanceof other.NotFoundError && missing instanceof other.AgentPlatformError, 'instanceof');
  },
};
