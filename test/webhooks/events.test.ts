import {
  EventChannelSchema,
  isWebhookEventType,
  MessageChannelSchema,
  parseWebhook,
  WebhookEnvelopeSchema,
  WebhookPayloadError,
  webhookEvents,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { delivery, envelope, eventTypes, minimal, secret } from './deliveries.js';

/** 6.2 of the document, row by row. */
const documented = {
  message_received: ['Message', 'both'],
  chat_delegated: ['Chat', 'both'],
  bug_reported: ['Bug', 'both'],
  agent_deleted: ['Agent', 'both'],
  webhook_test: ['Test', 'both'],
  lead_captured: ['Lead', 'native'],
  form_submitted: ['Form', 'native'],
  organisation_created: ['Organisation', 'both'],
  organisation_updated: ['Organisation', 'both'],
  organisation_deleted: ['Organisation', 'both'],
  client_created: ['Client', 'both'],
  client_updated: ['Client', 'both'],
  client_deleted: ['Client', 'both'],
  agent_created: ['Agent', 'not shown'],
  agent_updated: ['Agent', 'not shown'],
  conversation_updated: ['Conversation', 'not shown'],
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

test('the table holds exactly the sixteen documented types, each under its own name', () => {
  const table = Object.entries(webhookEvents).map(([key, { type, category, platforms }]) => {
    expect(type).toBe(key);
    return [key, [category, platforms]];
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

test('the channel lists are Sets A and B of the document', () => {
  expect([MessageChannelSchema.options, EventChannelSchema.options]).toEqual([setA, setB]);
});

test.each([
  ['message_received', setA, setB],
  ['lead_captured', setB, setA],
  ['form_submitted', setB, setA],
  ['chat_delegated', setB, setA],
  ['bug_reported', setB, setA],
])('%s takes the channels of its set alone', (type, own, others) => {
  for (const channel of own) expect(issuesOf(type, { channel })).toEqual([]);
  for (const channel of others.filter((one) => !own.includes(one))) {
    expect(issuesOf(type, { channel })).toEqual([['payload', 'channel']]);
  }
});

test.each([
  ['agent_created', 'operation', ['created', 'updated', 'deleted'], 'captured'],
  ['client_deleted', 'operation', ['created', 'updated', 'deleted'], 'captured'],
  ['organisation_updated', 'operation', ['created', 'updated', 'deleted'], 'captured'],
  ['conversation_updated', 'operation', ['updated'], 'created'],
  ['lead_captured', 'operation', ['captured'], 'created'],
  ['chat_delegated', 'operation', ['delegated'], 'created'],
  ['bug_reported', 'operation', ['reported'], 'created'],
  ['agent_created', 'agentPlatform', ['vg', 'vf'], 'vx'],
  ['conversation_updated', 'region', ['eu', 'na'], 'us'],
  ['form_submitted', 'formType', ['ui_engine_form', 'ui_engine_input'], 'form'],
])('%s.%s is a closed list', (type, field, values, other) => {
  for (const value of values) expect(issuesOf(type, { [field]: value })).toEqual([]);
  expect(issuesOf(type, { [field]: other })).toEqual([['payload', field]]);
});

test.each(['constructor', '__proto__', 'toString', 'LEAD_CAPTURED', ''])(
  '%j is not an event type',
  (type) => {
    expect(isWebhookEventType(type)).toBe(false);
  },
);

test('the schema of the envelope takes each delivery as posted, with its secret', () => {
  for (const type of eventTypes) expect(WebhookEnvelopeSchema.parse(envelope(type))).toEqual(envelope(type));
  for (const body of [
    { type: 'webhook_test' },
    { type: 'webhook_test', payload: {} },
    { payload: { workspaceSecret: secret } },
  ]) {
    expect(WebhookEnvelopeSchema.safeParse(body).success).toBe(false);
  }
});
