import {
  ConversationSchema,
  DefaultToolSchema,
  OrgClientSchema,
  parseWebhook,
  TeamSchema,
  ToolSchema,
  VariableInputSchema,
  VariableSchema,
  type WebhookEventType,
  webhookEvents,
} from 'agent-platform-sdk';
import { createFakePlatform, createFixtures, fixtures } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

const schemas = {
  conversation: ConversationSchema,
  defaultTool: DefaultToolSchema,
  orgClient: OrgClientSchema,
  team: TeamSchema,
  tool: ToolSchema,
  variable: VariableSchema,
  variableInput: VariableInputSchema,
};
const records = Object.keys(schemas) as (keyof typeof schemas)[];
const events = Object.keys(webhookEvents) as WebhookEventType[];

/** The fields of a schema that a value does not have, at any depth. */
function missingIn(schema: z.core.$ZodType, value: unknown, path = ''): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'optional' || def.type === 'nullable') return missingIn(def.innerType, value, path);
  if (def.type === 'array') {
    return (value as unknown[]).flatMap((each, index) => missingIn(def.element, each, `${path}[${index}]`));
  }
  if (def.type !== 'object') return [];
  const held = value as Readonly<Record<string, unknown>>;
  return Object.entries(def.shape).flatMap(([name, field]) =>
    name in held ? missingIn(field, held[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

/** Every text in a value, at any depth, with the name of its field. */
function textsIn(value: unknown, field = ''): readonly (readonly [field: string, text: string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    textsIn(inner, Array.isArray(value) ? field : name),
  );
}

test.each(records)('%s is valid, and has every field of its schema, the same each time', (name) => {
  const record = fixtures[name]();
  expect(z.safeParse(schemas[name], record)).toMatchObject({ success: true });
  // The schema of an input lists fields that must not be sent; that of a tool's field has optional ones.
  const absent = name === 'variableInput' ? ['.id', '.agentId', '.userId'] : [];
  const missing = missingIn(schemas[name], record).filter((path) => !path.startsWith('.fields[0].'));
  expect(missing).toEqual(absent);
  expect(fixtures[name]()).toEqual(record);
  expect(fixtures[name]()).not.toBe(record);
});

test.each(events)('%s is valid, and has every field of its schema', (type) => {
  const event = fixtures.event(type);
  expect(missingIn(webhookEvents[type].payload, event.payload)).toEqual([]);
  const delivery = fixtures.delivery(type, 'fake-secret');
  expect(parseWebhook(delivery, { secret: 'fake-secret', validation: 'strict' })).toEqual(event);
});

test('times of a conversation are in seconds', () => {
  const { ts, firstMessageTS, lastMessageTS, lastModified } = fixtures.conversation();
  for (const time of [ts, firstMessageTS, lastMessageTS, lastModified]) {
    expect(new Date((time ?? 0) * 1_000).getUTCFullYear()).toBe(2025);
  }
});

test.each(['eu', 'na'] as const)('records and events of %s refer to the seed of that region', (region) => {
  const made = createFixtures({ region });
  const all = [...records.map((name) => made[name]()), ...events.map((type) => made.event(type).payload)];
  const other = region === 'eu' ? 'na' : 'eu';
  expect(textsIn(all).filter(([, text]) => text.includes(`_${other}_`) || text === other)).toEqual([]);
  const { add } = createFakePlatform();
  expect(add[region].tool(made.tool())).toEqual(made.tool());
  expect(add[region].client(made.orgClient())).toEqual(made.orgClient());
});

test('every secret, address and telephone number is visibly made up', () => {
  const texts = textsIn(records.map((name) => fixtures[name]()));
  const named = (pattern: RegExp) => texts.filter(([field]) => pattern.test(field)).map(([, text]) => text);
  for (const secret of named(/Password|magicCode|usedSecret|TOKEN|serverUrlSecret|sessionKey|listenUrl/)) {
    expect(secret).toContain('fake-');
  }
  for (const [, place] of texts.filter(([, text]) => /\w@\w|:\/\//.test(text))) {
    expect(place).toMatch(/^(\w+@|https:\/\/)[\w.]+\.example(\/|$)/);
  }
  for (const number of named(/Phone|Number$/).filter((text) => text.startsWith('+'))) {
    expect(number.replaceAll(' ', '')).toMatch(/^\+1000000000\d$/);
  }
});

test('overrides are merged at any depth; a list is replaced, undefined removes a field', () => {
  const predefinedTags = ['new'];
  const onboardingState = { personalInfo: { role: 'Sales' } };
  const client = fixtures.orgClient({ onboardingState, predefinedTags, notificationsSettings: undefined });
  const personalInfo = { role: 'Sales', industry: 'industry' };
  expect(client.onboardingState).toMatchObject({ currentStep: 1, personalInfo });
  expect(client).not.toHaveProperty('notificationsSettings');
  // Changed later, they change neither this record nor another.
  predefinedTags.push('later');
  expect(client.predefinedTags).toEqual(['new']);
  expect(fixtures.orgClient().predefinedTags).not.toContain('new');
});
