import {
  isWebhookEventType,
  parseWebhook,
  WebhookEnvelopeSchema,
  WebhookPayloadError,
  webhookDeliverySchema,
  webhookEvents,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, envelope, eventTypes, minimal, secret } from './deliveries.js';

const setA = ['whatsapp', 'instagram', 'facebook', 'telegram', 'webchat'];
const setB = [
  'voice',
  'voiceprov',
  'web-chat',
  'whatsapp',
  'instagram',
  'telegram',
  'discord',
  'gb-chat',
  'messenger',
  'telephony',
  'webchat',
];

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

/** The optional fields of 6.3, with a right value each. */
const agentEvent = { agentName: 'Sales', agentPlatform: 'vg' };
const organisationEvent = { organisationName: 'Acme' };
const clientEvent = { ...organisationEvent, clientName: 'Ada', clientEmail: 'ada@acme.example' };
const optional: Readonly<Record<keyof typeof documented, Readonly<Record<string, unknown>>>> = {
  message_received: { agentName: 'Sales', messageType: 'text', from: 'user' },
  chat_delegated: {
    agentName: 'Sales',
    assignedToUserName: 'Ada',
    assignedToUserEmail: 'ada@acme.example',
    delegatedByUserId: 'user_2',
    delegatedByUserName: 'Bob',
    customerName: 'Eve',
    customerEmail: 'eve@acme.example',
    customerPhone: '+100',
  },
  bug_reported: {
    agentName: 'Sales',
    imageUrl: 'https://cdn.example/1.png',
    reportedByUserId: 'user_1',
    reportedByUserName: 'Ada',
    reportedByUserEmail: 'ada@acme.example',
  },
  agent_deleted: agentEvent,
  agent_created: agentEvent,
  agent_updated: agentEvent,
  webhook_test: {},
  lead_captured: { agentName: 'Sales', leadName: 'Eve', leadEmail: 'eve@acme.example', leadPhone: '+100' },
  form_submitted: { agentName: 'Sales' },
  organisation_created: organisationEvent,
  organisation_updated: organisationEvent,
  organisation_deleted: organisationEvent,
  client_created: clientEvent,
  client_updated: clientEvent,
  client_deleted: clientEvent,
  conversation_updated: {
    agentName: 'Sales',
    sessionId: 'session_1',
    channel: 'anything',
    region: 'eu',
    messagesHistory: [{}],
  },
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
  const { workspaceSecret: _, ...sent } = { workspaceSecret: secret, ...minimal[type], ...optional[type] };
  expect(issuesOf(type, {})).toEqual([]);
  // A number, of which the document does not say that it is whole.
  expect(issuesOf(type, { createdAt: 0.5 })).toEqual([]);
  expect(parseWebhook(delivery(type, optional[type]), strict).payload).toEqual(sent);
});

const requiredFields = eventTypes.flatMap((type) => Object.keys(minimal[type]).map((field) => [type, field]));
const optionalFields = eventTypes.flatMap((type) =>
  Object.keys(optional[type]).map((field) => [type, field]),
);

test.each(requiredFields)('%s requires %s', (type = '', field = '') => {
  expect(issuesOf(type, { [field]: undefined })).toEqual([['payload', field]]);
});

test.each([...requiredFields, ...optionalFields])(
  '%s refuses another type of %s',
  (type = '', field = '') => {
    expect(issuesOf(type, { [field]: true })).toEqual([['payload', field]]);
  },
);

test('the schema lists no field that the document does not', () => {
  for (const type of eventTypes) {
    const { shape } = webhookEvents[type].payload._zod.def as unknown as { shape: object };
    expect(Object.keys(shape).sort()).toEqual(Object.keys({ ...minimal[type], ...optional[type] }).sort());
  }
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
