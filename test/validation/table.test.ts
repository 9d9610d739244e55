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
import { type OperationName, operations } from '../endpoints/operations.js';
import { createClient, fake, rejectionOf, seed, success } from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { envelope, minimal, secret } from '../webhooks/deliveries.js';

// What becomes of a value in each mode. `test/schemas/document.test.ts` has the kinds of fields that depart.

/** What becomes of a value: passed on, passed on and reported, or refused. */
type End = 'passed on' | 'drift' | 'error';
type Ends = Readonly<Record<ValidationMode, End>>;

const FITS: Ends = { tolerant: 'passed on', strict: 'passed on', off: 'passed on' };
const DEPARTS: Ends = { tolerant: 'drift', strict: 'error', off: 'passed on' };
const DECIDES: Ends = { tolerant: 'error', strict: 'error', off: 'passed on' };
const UNUSABLE: Ends = { tolerant: 'error', strict: 'error', off: 'error' };

const modes = Object.keys(DEPARTS) as ValidationMode[];

const placesOf = (issues: readonly Issue[]) => issues.map(({ path }) => path.join('.'));

const members = (more: object) => ({ success: true, message: 'ok', clients: [], teams: [], ...more });
const without = (name: string, body: object) => ({ ...body, [name]: undefined });
const tool = success({ id: 't1' });
const released = { isGood: true, errors: '' };
const deleted = { success: true, message: 'ok' };

type Call = ReturnType<AgentPlatform['request']>;
type ResponseRow = readonly [what: string, name: OperationName, body: unknown, place: string, ends: Ends];

const responses: readonly ResponseRow[] = [
  ['what fits', 'getTool', success({ id: 't1', grown: 1 }), '', FITS],
  ['another type', 'getTool', success({ id: 't1', name: 5 }), 'data.name', DEPARTS],
  // JSON.parse has rounded it (basecamp-sdk#533).
  ['an integer above 2^53', 'getConversation', success({ ID: 'c1', ts: 2 ** 53 }), 'data.ts', DEPARTS],
  ['an odd record', 'listMembersAndTeams', members({ teams: [{ ID: 't' }, null] }), 'teams.1', DEPARTS],
  ['an odd record as data', 'listDefaultTools', success(['x']), 'data.0', DEPARTS],
  ['a new field', 'listMembersAndTeams', members({ teams: [{ ID: 't', new: 1 }] }), 'teams.0.new', DEPARTS],
  ['a new field of the envelope', 'listMembersAndTeams', members({ new: 1 }), 'new', DEPARTS],
  ['a new field of an open envelope', 'getTool', { ...tool, new: 1 }, '', FITS],
  ['no errors', 'releasePhoneNumber', { isGood: true }, 'errors', DEPARTS],
  ['no isGood', 'releasePhoneNumber', { errors: '' }, 'isGood', DEPARTS],
  ['no message', 'getTool', without('message', tool), 'message', DEPARTS],
  ['no message beside lists', 'listMembersAndTeams', without('message', members({})), 'message', DEPARTS],
  ['no success', 'getTool', without('success', tool), 'success', DEPARTS],
  ['no success beside lists', 'listMembersAndTeams', without('success', members({})), 'success', DEPARTS],
  ['no success of a deletion', 'deleteWorkspace', without('success', deleted), 'success', DEPARTS],
  ['a text for success', 'getTool', { ...tool, success: 'true' }, 'success', DECIDES],
  ['null for success', 'listMembersAndTeams', members({ success: null }), 'success', DECIDES],
  ['a number for success', 'deleteWorkspace', { ...deleted, success: 1 }, 'success', DECIDES],
  ['a text for isGood', 'releasePhoneNumber', { ...released, isGood: 'yes' }, 'isGood', DECIDES],
  ['null for isGood', 'releasePhoneNumber', { ...released, isGood: null }, 'isGood', DECIDES],
  ['no body', 'releasePhoneNumber', undefined, '', UNUSABLE],
  ['a list for a body', 'getTool', [], '', UNUSABLE],
  ['a text for a body', 'releasePhoneNumber', 'done', '', UNUSABLE],
  ['null for a body', 'deleteWorkspace', null, '', UNUSABLE],
  ['no data', 'getTool', without('data', tool), 'data', UNUSABLE],
  ['null for data', 'getConversation', success(null), 'data', UNUSABLE],
  ['a text for data', 'createVariable', success('v1'), 'data', UNUSABLE],
  ['an object for a list', 'listDefaultTools', success({}), 'data', UNUSABLE],
  ['no clients', 'listMembersAndTeams', without('clients', members({})), 'clients', UNUSABLE],
  ['null for teams', 'listMembersAndTeams', members({ teams: null }), 'teams', UNUSABLE],
];

/** The part of a body that the caller gets. */
function partOf(operation: OperationName, body: object): unknown {
  const { success: _, message, ...fields } = body as Record<string, unknown>;
  if (operation === 'deleteWorkspace') return undefined;
  if (operation === 'releasePhoneNumber') return body;
  return operation === 'listMembersAndTeams' ? fields : fields.data;
}

describe.each(responses)('a response with %s (%s)', (_, name, body, place, ends) => {
  test.each(modes)('%s', async (validation) => {
    const drifts: Drift[] = [];
    const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
    const answer = () => (body === undefined ? new Response() : Response.json(body));
    fake.handle(endpoints[name] as Endpoint, answer);
    // No row is a paged list, whose call collects rows.
    const call = operations[name].call(createClient({ validation, hooks }), seed) as Call;
    const end = ends[validation];
    if (end === 'error') {
      const error = await rejectionOf(call);
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(placesOf((error as ResponseValidationError).issues)).toEqual([place]);
      expect(drifts).toEqual([]);
      return;
    }
    const { data, drift } = await call.withResponse();
    expect(data).toEqual(partOf(name, body as object));
    expect(placesOf(drift)).toEqual(end === 'drift' ? [place] : []);
    expect(drifts.map(({ issues }) => issues)).toEqual(end === 'drift' ? [drift] : []);
  });
});

type EventRow = readonly [what: string, type: string, fields: object, field: string, ends: Ends];

const events: readonly EventRow[] = [
  ['what fits', 'lead_captured', { grown: 1 }, '', FITS],
  ['null for a text', 'message_received', { messageContent: null }, 'messageContent', DEPARTS],
  ['an unlisted channel', 'lead_captured', { channel: 'sms' }, 'channel', DEPARTS],
  ['an integer above 2^53', 'lead_captured', { createdAt: 1e18 }, 'createdAt', DEPARTS],
  ['no agent of a lead', 'lead_captured', { agentId: undefined }, 'agentId', DEPARTS],
  ['no organisation of a client', 'client_created', { organisationId: null }, 'organisationId', DEPARTS],
  ['a number for the agent id', 'agent_deleted', { agentId: 7 }, 'agentId', DEPARTS],
  ['no agent id', 'agent_deleted', { agentId: undefined }, 'agentId', DECIDES],
  ['null for the agent id', 'agent_created', { agentId: null }, 'agentId', DECIDES],
  ['no organisation id', 'organisation_updated', { organisationId: undefined }, 'organisationId', DECIDES],
  ['null for the client id', 'client_deleted', { clientId: null }, 'clientId', DECIDES],
];

/** Handlers that record what they are given. */
function recordEvents(handlers: WebhookHandlers | HandlingReceiver) {
  const handled: [payload: unknown, drift: WebhookContext['drift']][] = [];
  const failed: unknown[] = [];
  handlers.onAny(({ payload }, { drift }) => void handled.push([payload, drift]));
  handlers.onError((error) => void failed.push(error));
  return { handled, failed };
}

describe.each(events)('an event with %s (%s)', (_, type, fields, field, ends) => {
  test.each(modes)('%s: parsed, received, and handled by a worker', async (validation) => {
    const drifts: Drift[] = [];
    const logger = new RecordingLogger();
    const options = { validation, onDrift: (drift: Drift) => void drifts.push(drift) };
    const body = JSON.stringify(envelope(type, { ...fields }));
    const { workspaceSecret, ...payload } = (JSON.parse(body) as ReturnType<typeof envelope>).payload;
    const isRefused = ends[validation] === 'error';

    const parse = () => parseWebhook(body, { secret, ...options });
    if (isRefused) expect(parse).toThrow(WebhookPayloadError);
    else expect(parse().payload).toEqual(payload);

    const receiver = createWebhookReceiver({ secret, logger, ...options });
    const received = recordEvents(receiver);
    const { status } = await receiver.handle({ method: 'POST', body });
    expect(status).toBe(isRefused ? 400 : 200);
    expect(received.failed).toMatchObject(isRefused ? [{ payload }] : []);

    const handlers = createWebhookHandlers({ logger, ...options });
    const worked = recordEvents(handlers);
    const times = { deliveryId: 'd1', receivedAt: 1_760_000_000_000 };
    const done = handlers.process({ version: 1, key: 'a'.repeat(64), type, payload, ...times });
    if (isRefused) expect(await rejectionOf(done)).toBeInstanceOf(WebhookPayloadError);
    else await done;

    for (const { handled } of [received, worked]) {
      expect(handled).toEqual(isRefused ? [] : [[payload, drifts[0]?.issues ?? []]]);
    }
    const places = drifts.map(({ source, issues }) => [source, ...placesOf(issues)]);
    expect(places).toEqual(ends[validation] === 'drift' ? Array(3).fill([type, `payload.${field}`]) : []);
  });
});

test.each(modes)(
  'an event without a type, or with another one than a text, is invalid: %s',
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
