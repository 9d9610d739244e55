import { readFileSync } from 'node:fs';
import * as sdk from 'agent-platform-sdk';
import {
  ConversationSchema,
  CreateVariableBodySchema,
  DefaultToolSchema,
  ErrorBodySchema,
  OrgClientSchema,
  ReleaseNumberInputSchema,
  TeamSchema,
  ToolSchema,
  VariableSchema,
  type WebhookEventType,
  webhookEvents,
} from 'agent-platform-sdk';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { validateOwn } from '../../src/validation/validate.js';

// Two validators that share no code must say the same of every value.
const ajv = new Ajv2020({ strict: true, strictTypes: false, keywords: ['webhooks', 'x-expected'] });
ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
ajv.addSchema(JSON.parse(readFileSync('openapi.json', 'utf8')) as object, 'openapi.json');

function component(name: string): ValidateFunction {
  return ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` });
}

interface Subject {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  readonly valid: object;
}

/** A value of each record and body, with every field set. */
const records = [
  { name: 'OrgClient', schema: OrgClientSchema, valid: fixtures.orgClient() },
  { name: 'Team', schema: TeamSchema, valid: fixtures.team() },
  { name: 'Variable', schema: VariableSchema, valid: fixtures.variable() },
  { name: 'Tool', schema: ToolSchema, valid: fixtures.tool() },
  { name: 'DefaultTool', schema: DefaultToolSchema, valid: fixtures.defaultTool() },
  { name: 'Conversation', schema: ConversationSchema, valid: fixtures.conversation() },
  {
    name: 'CreateVariableRequest',
    schema: CreateVariableBodySchema,
    valid: { variable: fixtures.variableInput() },
  },
  {
    name: 'ReleasePhoneNumberRequest',
    schema: ReleaseNumberInputSchema,
    valid: { workspaceId: 'w', phoneNumberSid: 's', isImportedNumber: true },
  },
  {
    name: 'ErrorBody',
    schema: ErrorBodySchema,
    valid: { message: 'no', code: 'no', issues: [{ message: 'no' }] },
  },
] satisfies Subject[];

/** A schema is named as it is exported. */
function nameOf(schema: z.core.$ZodType): string {
  const [name = ''] = Object.entries(sdk).find(([, exported]) => exported === schema) ?? [];
  return name.slice(0, -'Schema'.length);
}

const payloads = (Object.keys(webhookEvents) as WebhookEventType[]).map((type): Subject => {
  const schema = webhookEvents[type].payload;
  return { name: nameOf(schema), schema, valid: fixtures.event(type).payload };
});

/** The value, and every value that differs from it in one place: a field missing, of another type, or too many. */
function* variations(value: unknown): Generator<unknown> {
  yield* ['text', 7, true, null, [], {}];
  if (Array.isArray(value)) {
    for (const varied of variations(value[0])) yield [varied];
  } else if (typeof value === 'object' && value !== null) {
    const record = value as Readonly<Record<string, unknown>>;
    yield { ...record, notInTheDocument: 1 };
    for (const [key, field] of Object.entries(record)) {
      const { [key]: _, ...without } = record;
      yield without;
      for (const varied of variations(field)) yield { ...record, [key]: varied };
    }
  }
}

/** Zod's verdict, save for missing fields that are only expected: the OpenAPI document accepts those values. */
function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  if (z.safeParse(schema, value).success) return true;
  const strict = validateOwn(schema, value, 'strict');
  const onlyMisses = strict.ok || strict.issues.every(({ message }) => message.startsWith('required: '));
  return onlyMisses && validateOwn(schema, value, 'tolerant').ok;
}

describe.each([...records, ...payloads])('$name', ({ name, schema, valid }) => {
  const check = component(name);

  test('is accepted by both', () => {
    expect([check(valid), z.safeParse(schema, valid).success]).toEqual([true, true]);
  });

  test('is accepted or rejected by both, however it is varied', () => {
    let [accepted, rejected] = [0, 0];
    for (const varied of variations(valid)) {
      const ours = accepts(schema, varied);
      if (check(varied) !== ours) expect({ varied, ajv: !ours, ours }).toBe('judged alike');
      if (ours) accepted += 1;
      else rejected += 1;
    }
    expect(Math.min(accepted, rejected)).toBeGreaterThan(0);
  });
});

describe('what the fake answers', () => {
  const fake = createFakePlatform();
  const { eu } = fake.seed;
  const get = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const secret = path.endsWith(eu.secondWorkspaceId) ? eu.secondWorkspaceSecret : eu.workspaceSecret;
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    return (await fake.fetch(`${fake.baseUrls.eu}/v3${path}`, { ...init, headers })).json();
  };

  test.each([
    ['ListMembersAndTeamsResponse', `/orgs/${eu.orgId}/members-and-teams`, {}],
    [
      'CreateVariableResponse',
      `/agents/${eu.agentId}/variables`,
      { method: 'POST', body: '{"variable":{"key":"plan"}}' },
    ],
    [
      'ReleasePhoneNumberResponse',
      '/utils/telco/release-number',
      { method: 'POST', body: `{"phoneNumberSid":"${eu.rentedNumberSid}","isImportedNumber":false}` },
    ],
    ['ListDefaultToolsResponse', '/tools/defaults', {}],
    ['GetToolResponse', `/tools/${eu.toolId}`, {}],
    ['GetConversationResponse', `/agents/${eu.agentId}/convos/${eu.convoId}`, {}],
    ['DeleteWorkspaceResponse', `/workspaces/${eu.secondWorkspaceId}`, { method: 'DELETE' }],
    ['ErrorBody', `/workspaces/${eu.workspaceId}`, { method: 'DELETE' }],
    ['ErrorBody', `/agents/${eu.agentId}/variables`, { method: 'POST', body: '{}' }],
  ])('fits %s', async (name, path, init) => {
    const check = component(name);

    expect([check(await get(path, init)), check.errors]).toEqual([true, null]);
  });

  test.each(Object.keys(webhookEvents) as WebhookEventType[])(
    'the delivery of %s fits the webhook',
    (type) => {
      const pointer = `openapi.json#/webhooks/${type}/post/requestBody/content/application~1json/schema`;
      const check = ajv.compile({ $ref: pointer });
      const delivery = fixtures.delivery(type, 'fake-secret');

      expect([check(delivery), check.errors]).toEqual([true, null]);
      expect(check(fixtures.event(type))).toBe(false);
      expect(check({ ...delivery, type: 'another' })).toBe(false);
    },
  );
});
