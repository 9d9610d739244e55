import { equal, ok, thrownBy } from './harness.mjs';

/** The marks by which a program tells errors apart. */
const kind = ({ name, type, status }) => [name, type, status];

export const errorChecks = {
  async 'a status becomes its error'({ connect, sdk, seed: { eu } }) {
    const missing = await thrownBy(() => connect().tools.get('no-such-tool'));
    equal(kind(missing), ['NotFoundError', 'not_found_error', 404]);
    ok(missing instanceof sdk.NotFoundError && missing instanceof sdk.ApiError, 'instanceof');
    ok(missing instanceof sdk.AgentPlatformError && missing instanceof Error, 'instanceof of the bases');
    ok(!(missing instanceof sdk.RateLimitError), 'not of another class');
    ok(missing.message.includes('/tools/no-such-tool') && missing.message.includes('eu'), missing.message);
    const twice = await thrownBy(() => connect().variables.create(eu.agentId, { key: eu.variableKey }));
    equal(kind(twice), ['BadRequestError', 'bad_request_error', 400]);
  },

  async 'a wrong token is refused'({ connect, seed: { eu } }) {
    const error = await thrownBy(() => connect({ token: 'a-wrong-token' }).tools.get(eu.toolId));
    equal(kind(error), ['AuthenticationError', 'authentication_error', 401]);
  },

  async 'too many requests tell when to come back'({ connect, seed: { eu }, fault }) {
    await fault({ status: 429, retryAfter: 7 });
    const error = await thrownBy(() => connect().tools.get(eu.toolId));
    equal([...kind(error), error.retryAfter], ['RateLimitError', 'rate_limit_error', 429, 7]);
  },

  async 'HTML in place of JSON is survived'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'html' });
    equal(kind(await thrownBy(() => connect().tools.get(eu.toolId))), ['ServerError', 'server_error', 502]);
    await fault({ kind: 'html', status: 200 });
    const error = await thrownBy(() => connect().tools.get(eu.toolId));
    equal(kind(error), ['ResponseValidationError', 'response_validation_error', 200]);
  },

  async 'an answer of another shape names what is wrong'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'wrong-shape', body: { success: true, message: '', data: { id: 7 } } });
    const error = await thrownBy(() => connect().tools.get(eu.toolId));
    equal(error.name, 'ResponseValidationError');
    equal(error.issues[0].path, ['data', 'id']);
    ok(error.message.includes('data.id: expected string, received number'), error.message);
  },

  async 'an answer that says no is an error'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'wrong-shape', body: { success: false, message: 'not today' } });
    const error = await thrownBy(() =>
      connect({ token: eu.secondWorkspaceSecret }).workspaces.delete(eu.secondWorkspaceId),
    );
    equal([error.name, error.type], ['OperationFailedError', 'operation_failed_error']);
  },

  async 'an answer that does not come is an error'({ connect, seed: { eu }, fault }) {
    // Deno and Chromium send a request again by themselves when a connection they have used before is reset.
    await fault({ kind: 'reset', times: 'always' });
    const error = await thrownBy(() => connect().variables.create(eu.agentId, { key: 'plan' }));
    equal([error.name, error.outcomeUnknown], ['ConnectionError', true]);
  },

  async 'an answer that is cut off is an error'({ connect, seed: { eu }, fault }) {
    await fault({ kind: 'truncated' });
    const error = await thrownBy(() => connect().variables.create(eu.agentId, { key: 'plan' }));
    equal([error.name, error.outcomeUnknown], ['ResponseValidationError', true]);
  },

  async 'a service that is not there is an error'({ connect }) {
    const nowhere = connect({ baseUrls: { eu: 'http://127.0.0.1:9' } });
    const error = await thrownBy(() => nowhere.tools.get('tool'));
    equal([error.name, error.type], ['ConnectionError', 'connection_error']);
  },

  async 'a redirect is refused'({ connect, seed: { eu }, fault, requests }) {
    await fault({ status: 307, headers: { location: '/eu/v3/tools/defaults' } });
    const error = await thrownBy(() => connect().tools.get(eu.toolId));
    ok(typeof error.type === 'string', `expected an error of ours, got ${error}`);
    equal((await requests()).length, 1);
  },

  async 'wrong arguments and options are found before anything is sent'({ connect, requests }) {
    const argument = await thrownBy(() => connect().tools.get('..'));
    equal([argument.name, argument.type], ['RequestValidationError', 'request_validation_error']);
    const option = await thrownBy(() => connect({ region: 'us' }));
    equal([option.name, option.type, option.option], ['ConfigurationError', 'configuration_error', 'region']);
    equal((await requests()).length, 0);
  },
};
