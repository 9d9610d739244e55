import {
  type AgentPlatform,
  createWebhookHandlers,
  createWebhookReceiver,
  type Drift,
  type Endpoint,
  endpoints,
  type HandlingReceiver,
  type Issue,
  parseWebhook,
  ResponseValidationError,
  type ValidationMode,
  type WebhookContext,
  type WebhookHandlers,
  WebhookPayloadError,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import { createClient, fake, rejectionOf, success } from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { envelope, minimal, secret } from '../webhooks/deliveries.js';

/** What becomes of a value: passed on, passed on and reported, or refused. */
type End = 'passed on' | 'drift' | 'error';

/** What becomes of it in each mode. */
type Ends = Readonly<Record<ValidationMode, End>>;

const DEPARTS: Ends = { tolerant: 'drift', strict: 'error', off: 'passed on' };
const DECIDES: Ends = { tolerant: 'error', strict: 'error', off: 'passed on' };
const UNUSABLE: Ends = { tolerant: 'error', strict: 'error', off: 'error' };
const FITS: Ends = { tolerant: 'passed on', strict: 'passed on', off: 'passed on' };

const modes = Object.keys(DEPARTS) as ValidationMode[];

const placesOf = (issues: readonly Issue[]) => issues.map(({ path }) => path.join('.'));

// Responses.

/** Calls an operation. */
const calls: Readonly<Record<string, (platform: AgentPlatform) => ReturnType<AgentPlatform['request']>>> = {
  listMembersAndTeams: ({ orgs }) => orgs.listMembersAndTeams('o1'),
  createVariable: ({ variables }) => variables.create('a1', { key: 'plan' }),
  releasePhoneNumber: ({ phoneNumbers }) =>
    phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }),
  listDefaultTools: ({ tools }) => tools.listDefaults(),
  getTool: ({ tools }) => tools.get('t1'),
  getConversation: ({ conversations }) => conversations.get({ agentId: 'a1', convoId: 'c1' }),
  deleteWorkspace: ({ workspaces }) => workspaces.delete('w1'),
};

const tool = (fields: object) => success({ id: 't1', ...fields });
const convo = (fields: object) => success({ ID: 'c1', ...fields });
const members = (client: unknown, more: object = {}) => ({
  success: true,
  message: 'ok',
  clients: [{ ID: 'c1' }, client],
  teams: [],
  ...more,
});
const variable = { id: 'v1', type: 'string', key: 'plan', agentId: 'a1', userId: 'u1' };

/** The part of a body that the caller gets. */
function partOf(operation: string, body: object): unknown {
  if (operation === 'deleteWorkspace') return undefined;
  if (operation === 'releasePhoneNumber') return body;
  const { success: _, message, ...fields } = body as Record<string, unknown>;
  return operation === 'listMembersAndTeams' ? fields : fields.data;
}

const responses: readonly (readonly [
  what: string,
  operation: keyof typeof endpoints,
  body: unknown,
  place: string,
  ends: Ends,
])[] = [
  ['what fits', 'getTool', tool({ grown: 1 }), '', FITS],
  ['a field of another type', 'getTool', tool({ name: 5 }), 'data.name', DEPARTS],
  [
    'a text for a boolean',
    'createVariable',
    success({ ...variable, required: 'true' }),
    'data.required',
    DEPARTS,
  ],
  ['null', 'getTool', tool({ name: null }), 'data.name', DEPARTS],
  ['null for an id', 'getTool', success({ id: null }), 'data.id', DEPARTS],
  ['a number for an id', 'getTool', success({ id: 7 }), 'data.id', DEPARTS],
  ['a missing id', 'getTool', success({}), 'data.id', DEPARTS],
  [
    'an unlisted value',
    'listMembersAndTeams',
    members({ ID: 'c2', status: 'away' }),
    'clients.1.status',
    DEPARTS,
  ],
  [
    'an unknown field of a closed object',
    'listMembersAndTeams',
    members({ ID: 'c2', new: 1 }),
    'clients.1.new',
    DEPARTS,
  ],
  [
    'an unknown field of a closed object inside',
    'listMembersAndTeams',
    members({ ID: 'c2', onboardingState: { new: 1 } }),
    'clients.1.onboardingState.new',
    DEPARTS,
  ],
  [
    'an unknown field of a closed envelope',
    'listMembersAndTeams',
    members({ ID: 'c2' }, { invitations: [] }),
    'invitations',
    DEPARTS,
  ],
  [
    'an unknown field of an open object inside',
    'listMembersAndTeams',
    members({ ID: 'c2', handoff: { new: 1 } }),
    '',
    FITS,
  ],
  ['an odd record in a list', 'listMembersAndTeams', members(null), 'clients.1', DEPARTS],
  [
    'a text in a list of records',
    'listDefaultTools',
    success([{ id: 'web-search', kind: 'runtime_auto' }, 'x']),
    'data.1',
    DEPARTS,
  ],
  [
    'null in a list',
    'listMembersAndTeams',
    members({ ID: 'c2', widgetIDs: ['w', null] }),
    'clients.1.widgetIDs.1',
    DEPARTS,
  ],
  ['a text for a list', 'getConversation', convo({ tags: 'vip' }), 'data.tags', DEPARTS],
  ['a text for an object', 'getConversation', convo({ nodesInfo: '__start__' }), 'data.nodesInfo', DEPARTS],
  ['an array for an object', 'getConversation', convo({ voice: [] }), 'data.voice', DEPARTS],
  ['a number for a text', 'getConversation', convo({ userPhone: 15551234567 }), 'data.userPhone', DEPARTS],
  ['a text for a number', 'getConversation', convo({ ts: '1785326394' }), 'data.ts', DEPARTS],
  // JSON.parse has rounded it (basecamp-sdk#533).
  ['an integer above 2^53', 'getConversation', convo({ ts: 2 ** 53 }), 'data.ts', DEPARTS],
  ['a text where anything may be', 'getConversation', convo({ capturedVariables: '{}' }), '', FITS],
  ['a list for the text of errors', 'releasePhoneNumber', { isGood: true, errors: [] }, 'errors', DEPARTS],
  ['no errors', 'releasePhoneNumber', { isGood: true }, 'errors', DEPARTS],
  ['no isGood', 'releasePhoneNumber', { errors: '' }, 'isGood', DEPARTS],
  ['no message', 'getTool', { success: true, data: { id: 't1' } }, 'message', DEPARTS],
  ['no success beside data', 'getTool', { message: 'ok', data: { id: 't1' } }, 'success', DEPARTS],
  [
    'no success beside lists',
    'listMembersAndTeams',
    { message: 'ok', clients: [], teams: [] },
    'success',
    DEPARTS,
  ],
  ['no success of a deletion', 'deleteWorkspace', { message: 'ok' }, 'success', DEPARTS],
  ['a text for success', 'getTool', { ...tool({}), success: 'true' }, 'success', DECIDES],
  ['null for success', 'listMembersAndTeams', members({ ID: 'c2' }, { success: null }), 'success', DECIDES],
  [
    'a number for success of a deletion',
    'deleteWorkspace',
    { success: 1, message: 'ok' },
    'success',
    DECIDES,
  ],
  ['a text for isGood', 'releasePhoneNumber', { isGood: 'yes', errors: '' }, 'isGood', DECIDES],
  ['null for isGood', 'releasePhoneNumber', { isGood: null, errors: '' }, 'isGood', DECIDES],
  ['a list for a body', 'getTool', [], '', UNUSABLE],
  ['a text for a body', 'releasePhoneNumber', 'done', '', UNUSABLE],
  ['null for a body', 'deleteWorkspace', null, '', UNUSABLE],
  ['no data', 'getTool', { success: true, message: 'ok' }, 'data', UNUSABLE],
  ['null for data', 'getConversation', success(null), 'data', UNUSABLE],
  ['a text for data', 'createVariable', success('v1'), 'data', UNUSABLE],
  ['an object for a list', 'listDefaultTools', success({}), 'data', UNUSABLE],
  ['no clients', 'listMembersAndTeams', { success: true, message: 'ok', teams: [] }, 'clients', UNUSABLE],
  ['null for teams', 'listMembersAndTeams', members({ ID: 'c2' }, { teams: null }), 'teams', UNUSABLE],
];

describe.each(responses)('a response with %s (%s)', (_, operation, body, place, ends) => {
  test.each(modes)(`%s`, async (validation) => {
    const drifts: Drift[] = [];
    const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
    fake.handle(endpoints[operation] as Endpoint, () => Response.json(body));
    const call = calls[operation]?.(createClient({ validation, hooks }));
    const end = ends[validation];
    if (end === 'error') {
      const error = await rejectionOf(call as Promise<unknown>);
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(placesOf((error as ResponseValidationError).issues)).toEqual([place]);
      expect(drifts).toEqual([]);
      return;
    }
    const result = await call?.withResponse();
    expect(result?.data).toEqual(partOf(operation, body as object));
    expect(placesOf(result?.drift ?? [])).toEqual(end === 'drift' ? [place] : []);
    expect(drifts.map(({ issues }) => issues)).toEqual(end === 'drift' ? [result?.drift] : []);
  });
});

// Events.

const events: readonly (readonly [
  what: string,
  type: string,
  payload: Readonly<Record<string, unknown>>,
  place: string,
  ends: Ends,
])[] = [
  ['what fits', 'lead_captured', { grown: 1 }, '', FITS],
  ['a number for an id', 'message_received', { convoId: 6909719720 }, 'payload.convoId', DEPARTS],
  ['null for a text', 'message_received', { messageContent: null }, 'payload.messageContent', DEPARTS],
  ['no text', 'message_received', { messageContent: undefined }, 'payload.messageContent', DEPARTS],
  ['null for a channel', 'lead_captured', { channel: null }, 'payload.channel', DEPARTS],
  ['no channel', 'lead_captured', { channel: undefined }, 'payload.channel', DEPARTS],
  ['an unlisted channel', 'lead_captured', { channel: 'sms' }, 'payload.channel', DEPARTS],
  ['an ISO time', 'lead_captured', { createdAt: '2026-08-02T10:00:00.000Z' }, 'payload.createdAt', DEPARTS],
  ['an integer above 2^53', 'lead_captured', { createdAt: 1e18 }, 'payload.createdAt', DEPARTS],
  ['turns as JSON text', 'conversation_updated', { turns: '[]' }, 'payload.turns', DEPARTS],
  ['a text for metadata', 'conversation_updated', { lightConvoData: '' }, 'payload.lightConvoData', DEPARTS],
  [
    'a list for the data of a form',
    'form_submitted',
    { formData: [{ key: 'a' }] },
    'payload.formData',
    DEPARTS,
  ],
  ['a null assignee', 'chat_delegated', { assignedToUserId: null }, 'payload.assignedToUserId', DEPARTS],
  ['no agent of a lead', 'lead_captured', { agentId: undefined }, 'payload.agentId', DEPARTS],
  ['a number for the id of the agent', 'agent_deleted', { agentId: 7 }, 'payload.agentId', DEPARTS],
  [
    'no organisation of a client',
    'client_created',
    { organisationId: null },
    'payload.organisationId',
    DEPARTS,
  ],
  ['no agent id', 'agent_deleted', { agentId: undefined }, 'payload.agentId', DECIDES],
  ['null for the agent id', 'agent_created', { agentId: null }, 'payload.agentId', DECIDES],
  [
    'no organisation id',
    'organisation_updated',
    { organisationId: undefined },
    'payload.organisationId',
    DECIDES,
  ],
  ['null for the client id', 'client_deleted', { clientId: null }, 'payload.clientId', DECIDES],
];

/** Handlers that record what they are given. */
function recordEvents(handlers: WebhookHandlers | HandlingReceiver) {
  const handled: [payload: unknown, drift: WebhookContext['drift']][] = [];
  const failed: unknown[] = [];
  handlers.onAny(({ payload }, { drift }) => void handled.push([payload, drift]));
  handlers.onError((error) => void failed.push(error));
  return { handled, failed };
}

describe.each(events)('an event with %s (%s)', (_, type, fields, place, ends) => {
  const posted = envelope(type, fields);
  const { workspaceSecret, ...payload } = JSON.parse(JSON.stringify(posted.payload)) as Record<
    string,
    unknown
  >;

  /** What `parseWebhook`, a receiver and the handlers of a worker do with it, one after the other. */
  const takers: Readonly<Record<string, (validation: ValidationMode, drifts: Drift[]) => Promise<void>>> = {
    parseWebhook: async (validation, drifts) => {
      const onDrift = (drift: Drift) => void drifts.push(drift);
      const parse = () => parseWebhook(JSON.stringify(posted), { secret, validation, onDrift });
      if (ends[validation] !== 'error') expect(parse().payload).toEqual(payload);
      else expect(parse).toThrow(WebhookPayloadError);
    },
    'a receiver': async (validation, drifts) => {
      const onDrift = (drift: Drift) => void drifts.push(drift);
      const receiver = createWebhookReceiver({ secret, validation, onDrift, logger: new RecordingLogger() });
      const { handled, failed } = recordEvents(receiver);
      const { status } = await receiver.handle({ method: 'POST', body: JSON.stringify(posted) });
      expect(status).toBe(ends[validation] === 'error' ? 400 : 200);
      expect(handled).toEqual(status === 200 ? [[payload, drifts[0]?.issues ?? []]] : []);
      expect(failed).toMatchObject(status === 200 ? [] : [{ payload }]);
    },
    'the handlers of a worker': async (validation, drifts) => {
      const onDrift = (drift: Drift) => void drifts.push(drift);
      const handlers = createWebhookHandlers({ validation, onDrift, logger: new RecordingLogger() });
      const { handled, failed } = recordEvents(handlers);
      const times = { deliveryId: 'd1', receivedAt: 1_760_000_000_000 };
      const done = handlers.process({ version: 1, key: 'a'.repeat(64), type, payload, ...times });
      if (ends[validation] === 'error') expect(await rejectionOf(done)).toBeInstanceOf(WebhookPayloadError);
      else await done;
      expect(handled).toEqual(failed.length === 0 ? [[payload, drifts[0]?.issues ?? []]] : []);
    },
  };

  test.each(modes.flatMap((mode) => Object.keys(takers).map((taker) => [mode, taker] as const)))(
    '%s: %s',
    async (validation, taker) => {
      const drifts: Drift[] = [];
      await takers[taker]?.(validation, drifts);
      const places = drifts.map(({ source, issues }) => [source, ...placesOf(issues)]);
      expect(places).toEqual(ends[validation] === 'drift' ? [[type, place]] : []);
    },
  );
});

test.each(modes)(
  'an event without a type, or with another one than a text, is invalid in %s',
  async (validation) => {
    for (const type of [undefined, null, 7]) {
      const body = JSON.stringify({ type, payload: { ...minimal.lead_captured, workspaceSecret: secret } });
      const receiver = createWebhookReceiver({ secret, validation, logger: new RecordingLogger() });
      const { failed } = recordEvents(receiver);
      expect((await receiver.handle({ method: 'POST', body })).status).toBe(400);
      expect(failed).toMatchObject([{ payload: minimal.lead_captured }]);
      const invalid: unknown[] = [];
      receiver.onInvalid(({ issues }) => invalid.push(issues));
      expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
      expect(invalid).toMatchObject([[{ path: ['type'] }]]);
    }
  },
);
