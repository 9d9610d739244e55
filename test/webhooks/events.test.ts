import {
  EventChannelSchema,
  isWebhookEventType,
  MessageChannelSchema,
  parseWebhook,
  WebhookEnvelopeSchema,
  WebhookPayloadError,
  webhookDeliverySchema,
  webhookEvents,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, envelope, eventTypes, minimal, secret } from './deliveries.js';

// The lists of values that several payloads share are compared in `test/schemas/document.test.ts`.
const setA: readonly string[] = MessageChannelSchema.options;
const setB: readonly string[] = EventChannelSchema.options;

/** 6.2 of the document, row by row, with the channels of 6.3. */
const documented = {
  message_received: ['Message', 'both', setA],
  chat_delegated: ['Chat', 'both', setB],
  bug_reported: ['Bug', 'both', setB],
  agent_deleted: ['Agent', 'both', undefined],
  webhook_test: ['Test', 'both', undefined],
  lead_captured: ['Lead', 'native', setB],
  form_submitted: ['Form', 'native', setB],
  organisation_created: ['Organisation', 'both', undefined],
  organisation_updated: ['Organisation', 'both', undefined],
  organisation_deleted: ['Organisation', 'both', undefined],
  client_created: ['Client', 'both', undefined],
  client_updated: ['Client', 'both', undefined],
  client_deleted: ['Client', 'both', undefined],
  agent_created: ['Agent', 'not shown', undefined],
  agent_updated: ['Agent', 'not shown', undefined],
  conversation_updated: ['Conversation', 'not shown', undefined],
} as const;

const texts = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'a text']));
const ofAgent = { ...texts('agentName'), agentPlatform: 'vg' };
const ofOrganisation = texts('organisationName');
const ofClient = texts('organisationName clientName clientEmail');

/** The optional fields of 6.3, with a right value each. */
const optional: Readonly<Record<keyof typeof documented, Readonly<Record<string, unknown>>>> = {
  message_received: texts('agentName messageType from'),
  chat_delegated: texts(
    'agentName assignedToUserName assignedToUserEmail delegatedByUserId delegatedByUserName customerName ' +
      'customerEmail customerPhone',
  ),
  bug_reported: texts('agentName imageUrl reportedByUserId reportedByUserName reportedByUserEmail'),
  agent_deleted: ofAgent,
  agent_created: ofAgent,
  agent_updated: ofAgent,
  webhook_test: {},
  lead_captured: texts('agentName leadName leadEmail leadPhone'),
  form_submitted: texts('agentName'),
  organisation_created: ofOrganisation,
  organisation_updated: ofOrganisation,
  organisation_deleted: ofOrganisation,
  client_created: ofClient,
  client_updated: ofClient,
  client_deleted: ofClient,
  conversation_updated: { ...texts('agentName sessionId channel'), region: 'eu', messagesHistory: [{}] },
};

const strict = { secret, validation: 'strict' } as const;

function issuesOf(type: string, overrides: Record<string, unknown>): readonly (string | number)[][] {
  try {
    parseWebhook(delivery(type, overrides), strict);
    return [];
  } catch (error) {
    if (!(error instanceof WebhookPayloadError)) throw error;
    return error.issues.map(({ path }) => [...path]);
  }
}

test('the table holds exactly the documented types, each under its own name', () => {
  const table = Object.entries(webhookEvents).map(([key, { type, category, platforms, channels }]) => {
    expect(type).toBe(key);
    return [key, [category, platforms, channels]];
  });
  expect(Object.fromEntries(table)).toEqual(documented);
});

test.each(eventTypes)('%s is accepted with what is required, and with all that is optional', (type) => {
  expect(issuesOf(type, {})).toEqual([]);
  // A number, of which the document does not say that it is whole.
  expect(issuesOf(type, { createdAt: 0.5 })).toEqual([]);
  const { payload } = parseWebhook(delivery(type, optional[type]), strict);
  expect(payload).toEqual({ ...minimal[type], ...optional[type] });
});

test.each(eventTypes)('%s requires its fields, refuses others of another type, and lists no more', (type) => {
  const fields = Object.keys({ ...minimal[type], ...optional[type] });
  for (const field of Object.keys(minimal[type])) {
    expect(issuesOf(type, { [field]: undefined })).toEqual([['payload', field]]);
  }
  for (const field of fields) expect(issuesOf(type, { [field]: true })).toEqual([['payload', field]]);
  const { shape } = webhookEvents[type].payload._zod.def as unknown as { shape: object };
  expect(Object.keys(shape).sort()).toEqual(fields.sort());
});

const operations = ['created', 'updated', 'deleted'];

test.each<[type: string, field: string, values: readonly string[], others: readonly string[]]>([
  ['message_received', 'channel', setA, setB.filter((one) => !setA.includes(one))],
  ...['lead_captured', 'form_submitted', 'chat_delegated', 'bug_reported'].map(
    (type) => [type, 'channel', setB, ['facebook']] as [string, string, string[], string[]],
  ),
  ['agent_created', 'operation', operations, ['captured']],
  ['client_deleted', 'operation', operations, ['captured']],
  ['organisation_updated', 'operation', operations, ['captured']],
  ['conversation_updated', 'operation', ['updated'], ['created']],
  ['lead_captured', 'operation', ['captured'], ['created']],
  ['chat_delegated', 'operation', ['delegated'], ['created']],
  ['bug_reported', 'operation', ['reported'], ['created']],
  ['agent_created', 'agentPlatform', ['vg', 'vf'], ['vx']],
  ['conversation_updated', 'region', ['eu', 'na'], ['us']],
  ['form_submitted', 'formType', ['ui_engine_form', 'ui_engine_input'], ['form']],
])('%s.%s is a closed list', (type, field, values, others) => {
  for (const value of values) expect(issuesOf(type, { [field]: value })).toEqual([]);
  for (const value of others) expect(issuesOf(type, { [field]: value })).toEqual([['payload', field]]);
});

test.each(['constructor', '__proto__', 'toString', 'LEAD_CAPTURED', ''])(
  '%j is not an event type',
  (type) => {
    expect(isWebhookEventType(type)).toBe(false);
  },
);

test.each(eventTypes)('the schemas of envelope and delivery take %s as posted, with its secret', (type) => {
  const posted = envelope(type);
  for (const schema of [WebhookEnvelopeSchema, webhookDeliverySchema(type)]) {
    expect(schema.parse(posted)).toEqual(posted);
    for (const missing of ['workspaceSecret', 'createdAt']) {
      const { [missing]: _, ...payload } = posted.payload;
      const paths = schema.safeParse({ type, payload }).error?.issues.map(({ path }) => path);
      expect(paths).toEqual([['payload', missing]]);
    }
    expect(schema.safeParse({ payload: posted.payload }).success).toBe(false);
  }
});

test('the schema of a delivery takes one type, and validates its payload', () => {
  const schema = webhookDeliverySchema('lead_captured');
  expect(schema.safeParse(envelope('bug_reported')).success).toBe(false);
  const lead = envelope('lead_captured', { channel: 'fax', aNewField: 1 });
  expect(schema.safeParse(lead).error?.issues).toMatchObject([{ path: ['payload', 'channel'] }]);
  // Without types.
  const unknown = 'lead_capture' as 'lead_captured';
  expect(() => webhookDeliverySchema(unknown)).toThrow(/"lead_capture".*Did you mean "lead_captured"\?/);
});
