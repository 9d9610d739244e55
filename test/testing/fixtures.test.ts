import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
import { createFakePlatform, createFixtures, type Fixtures, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
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

describe.each(records)('%s', (name) => {
  test('is valid, and has every field of its schema, at any depth', () => {
    for (const seed of [1, 2, 3]) {
      const record = createFixtures({ seed })[name]();
      expect(z.safeParse(schemas[name], record)).toMatchObject({ success: true });
      expect(Object.keys(schemas[name].shape)).toEqual(expect.arrayContaining(Object.keys(record)));
      // The schema of a request lists what must not be sent, too; and of its own fields, a tool tells what it needs.
      const absent = name === 'variableInput' ? ['.id', '.agentId', '.userId'] : [];
      const missing = missingIn(schemas[name], record).filter((path) => !path.startsWith('.fields[0].'));
      expect(missing).toEqual(absent);
    }
  });

  test('is the same each time, another with another seed, and never shared', () => {
    const first = fixtures[name]();
    expect(fixtures[name]()).toEqual(first);
    expect(createFixtures({ seed: 1 })[name]()).toEqual(first);
    expect(createFixtures({ seed: 2 })[name]()).not.toEqual(first);
    expect(fixtures[name]()).not.toBe(first);
  });
});

describe.each(events)('%s', (type) => {
  test('is valid, and has every field of its schema', () => {
    for (const seed of [1, 2, 3]) {
      const { payload } = createFixtures({ seed }).event(type);
      const schema = webhookEvents[type].payload;
      expect(z.safeParse(schema, payload)).toMatchObject({ success: true });
      const { shape } = (schema as unknown as { def: { shape: object } }).def;
      expect(Object.keys(payload).sort()).toEqual(Object.keys(shape).sort());
    }
  });

  test('is delivered as parseWebhook takes it', () => {
    const delivery = fixtures.delivery(type, 'fake-secret');

    expect(parseWebhook(delivery, { secret: 'fake-secret', validation: 'strict' })).toEqual(
      fixtures.event(type),
    );
  });
});

test('a recording may have blank lines, and need not tell when a webhook came', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-platform-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'events.ndjson');
  await writeFile(file, '\n{"type":"lead_scored","payload":{"by":"Zoë"}}\n  \r\n');
  const { webhooks } = createFakePlatform();
  for (const fetch of [() => new Response(), () => new Response()]) webhooks.subscribe({ fetch });
  for (const place of [file, pathToFileURL(file)]) {
    expect(fixtures.fromRecording(place)).toEqual([{ type: 'lead_scored', payload: { by: 'Zoë' } }]);
    const record = { type: 'lead_scored', payload: { by: 'Zoë' } };
    expect(await webhooks.replay(place)).toMatchObject([record, record]);
  }
});

test.each([
  ['{"type":"x"}', 'payload: required'],
  ['{"type":4,"payload":{}}', 'type: expected string'],
  ['{"type":"x","payload":{},"envelope":[]}', 'envelope: expected record'],
  ['{"type":"x","payload":{},"receivedAt":"now"}', 'receivedAt: expected number'],
  ['{"type":"x","payload":{},"at":1}', 'at: unknown field; there are type, payload, envelope, receivedAt'],
])('a recording with the line %s is refused', async (line, message) => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-platform-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'events.ndjson');
  await writeFile(file, `\n${line}\n`);

  const read = () => fixtures.fromRecording(file);
  expect(read).toThrow(TypeError);
  expect(read).toThrow(`line 2 of ${file} is wrong\n  - ${message}`);
});

test.each<[values: unknown[], of: (made: Fixtures) => unknown]>([
  [['look_up_order', 'book_demo', 'find_invoice'], (made) => made.tool().name],
  [['vg', 'vf'], (made) => made.event('agent_created').payload.agentPlatform],
  [['free', 'team', 'enterprise'], (made) => made.variable().value],
  [['online', 'offline'], (made) => made.orgClient().status],
  [['en', 'de', 'fr'], (made) => made.orgClient().preferredLanguage],
  [['ai-chatting', 'requested_chat'], (made) => made.conversation().state],
  [['web-chat', 'whatsapp'], (made) => made.conversation().origin],
  [['webchat', 'whatsapp'], (made) => made.event('message_received').payload.channel],
  [['web-chat', 'whatsapp'], (made) => made.event('lead_captured').payload.channel],
  [['ui_engine_form', 'ui_engine_input'], (made) => made.event('form_submitted').payload.formType],
])('of a choice of values, each is drawn under some seed: %j', (values, of) => {
  const seeds = Array.from({ length: 30 }, (_, seed) => seed);
  expect(new Set(seeds.map((seed) => of(createFixtures({ seed }))))).toEqual(new Set(values));
});

test('names, times and sums of a record fit each other', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const made = createFixtures({ seed });
    const client = made.orgClient();
    const [first = ''] = client.name?.toLowerCase().split(' ') ?? [];
    expect(client.email).toBe(`${first}@shop.example`);
    const { ID: _, memberIds, ts = 0, lastModified = 0, ...summary } = made.team();
    expect(client.teams).toEqual([{ ...summary, ID: 'team_eu_1' }]);
    expect(memberIds).toEqual(['client_eu_1']);
    expect(made.defaultTool()).toMatchObject({ kind: 'assignable_system', assignableViaToolsIds: true });
    expect(made.variable()).toMatchObject({ ...made.variableInput(), userId: 'owner_eu' });
    const tool = made.tool();
    const convo = made.conversation() as Required<ReturnType<Fixtures['conversation']>>;
    for (const rating of [convo.csat?.satisfaction10, convo.csat?.ease10])
      expect(rating).toBeLessThanOrEqual(10);
    const [handoff] = convo.handoffHistory as {
      requestedAt: number;
      acceptedAt: number;
      completedAt: number;
    }[];
    for (const times of [
      [ts, lastModified],
      [Date.parse(tool.createdAt ?? ''), Date.parse(tool.updatedAt ?? '')],
      [convo.firstMessageTS, convo.lastMessageTS, convo.lastModified, convo.lastViewed],
      [convo.humanLastRepliedAt, convo.tokenUsage?.lastTurnTs, convo.lastMessageTS, convo.csat?.submittedAt],
      [handoff?.requestedAt, convo.delegatedAt, convo.humanClaimedAt],
      [convo.ts, handoff?.requestedAt, handoff?.acceptedAt, convo.humanLastRepliedAt, handoff?.completedAt],
      [convo.ts, convo.humanClaimedAt, convo.humanLastRepliedAt, convo.pendingAiReplyAt, convo.resolvedAt],
    ] as number[][]) {
      expect(times.map((time, index) => index === 0 || time > (times[index - 1] ?? Infinity))).not.toContain(
        false,
      );
    }
    expect(convo.convoTimeSeconds).toBe(((convo.lastMessageTS ?? 0) - (convo.firstMessageTS ?? 0)) / 1_000);
    const { tokenUsage: used, detailedCost: cost } = convo as unknown as Record<
      string,
      Record<string, number>
    >;
    expect(used?.cumulativeTotalTokens).toBe(
      (used?.cumulativeInputTokens ?? 0) + (used?.cumulativeOutputTokens ?? 0),
    );
    expect(used?.lastTurnTotalTokens).toBe(
      (used?.lastTurnInputTokens ?? 0) + (used?.lastTurnOutputTokens ?? 0),
    );
    const { totalCreditsConsumed, ...parts } = cost ?? {};
    expect(totalCreditsConsumed).toBe(Object.values(parts).reduce((sum, part) => sum + part, 0));
    expect([client.index, convo.hotScore, convo.value].map(Number.isInteger)).toEqual([true, true, true]);
  }
});

test('numbers are drawn between their ends, both included', () => {
  const seeds = Array.from({ length: 2_000 }, (_, seed) => createFixtures({ seed }));
  for (const [of, least, most] of [
    [(made: Fixtures) => made.orgClient().index, 0, 20],
    [(made: Fixtures) => made.conversation().hotScore, 0, 100],
  ] as const) {
    const drawn = seeds.map((made) => Number(of(made)));
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([least, most]);
  }
});

test('every secret, address and telephone number says that it is made up', () => {
  const all = [
    ...records.map((name) => fixtures[name]()),
    ...events.map((type) => fixtures.event(type).payload),
  ];
  const texts = textsIn(all);
  const named = (pattern: RegExp) => texts.filter(([field]) => pattern.test(field)).map(([, text]) => text);

  const secrets = named(/Password|magicCode|usedSecret|TOKEN|serverUrlSecret|sessionKey|listenUrl/);
  expect(secrets.length).toBeGreaterThan(6);
  for (const secret of secrets) expect(secret).toContain('fake-');
  const places = texts.map(([, text]) => text).filter((text) => /\w@\w|:\/\//.test(text));
  expect(places.length).toBeGreaterThan(20);
  for (const place of places) expect(place).toMatch(/^(\w+@|https:\/\/)[\w.]+\.example(\/|$)/);
  for (const number of named(/Phone|PhoneNumber|BusinessNumber$/).filter((text) => text.startsWith('+')))
    expect(number.replaceAll(' ', '')).toMatch(/^\+1000000000\d$/);
  // The block for documentation (RFC 5737).
  expect(named(/^ipAddress$/)).toEqual(['192.0.2.1']);
});

test('the ids of a conversation begin with its agent, and end with itself', () => {
  expect(fixtures.conversation()).toMatchObject({ ID: 'agent_eu_1_convo_1', userID: 'agent_eu_1_convo_1' });
});

test('times are whole milliseconds of a day long past', () => {
  const times = [
    ...records.map((name) => fixtures[name]()),
    ...events.map((type) => fixtures.event(type).payload),
  ]
    .flatMap((made) => Object.entries(made))
    .filter(([name]) => ['createdAt', 'ts', 'lastModified'].includes(name))
    .map(([, time]) => new Date(time as string | number));
  expect(times.length).toBeGreaterThan(10);
  for (const time of times) expect(time.toISOString()).toMatch(/^2025-01-1[56]T/);
  const { createdAt } = fixtures.event('webhook_test').payload;
  expect(Number.isInteger(createdAt)).toBe(true);
});

test('a time that is a text is one of ISO 8601', () => {
  const dates = textsIn(records.map((name) => fixtures[name]())).filter(([field]) =>
    /(At|timestamp)$/.test(field),
  );

  expect(new Set(dates.map(([field]) => field)).size).toBeGreaterThan(3);
  for (const [, date] of dates) expect(date).toMatch(/^2025-01-1[56]T\d\d:\d\d:\d\d(\.\d{3})?Z$/);
});

test('a delivery has the secret that it is given, whatever is laid over its payload', () => {
  const overrides: object = { workspaceSecret: 'fake-other', message: 'mine' };
  expect(fixtures.delivery('webhook_test', 'fake-secret', overrides).payload).toMatchObject({
    workspaceSecret: 'fake-secret',
    message: 'mine',
  });
});

test('a seed may be 0', () => {
  expect(createFixtures({ seed: 0 }).tool().id).toBe('tool_0');
});

test.each(events.filter((type) => /_(created|updated|deleted)$/.test(type)))(
  '%s tells its operation',
  (type) => {
    expect(fixtures.event(type).payload).toMatchObject({ operation: type.split('_')[1] });
  },
);

test.each([
  ['chat_delegated', 'delegated'],
  ['bug_reported', 'reported'],
  ['lead_captured', 'captured'],
] as const)('%s tells the operation %s', (type, operation) => {
  expect(fixtures.event(type).payload).toMatchObject({ operation });
});

test.each(['eu', 'na'] as const)('an event of %s names what it is about by the ids of the seed', (region) => {
  const { agentId, convoId, orgId, clientId } = createFakePlatform().seed[region];
  const about = { agentId, convoId, organisationId: orgId, clientId };
  const payloads = events.map((type): object => createFixtures({ region, seed: 4 }).event(type).payload);

  for (const payload of payloads) expect({ ...about, ...payload }).toMatchObject(about);
  for (const field of Object.keys(about)) expect(payloads.some((payload) => field in payload)).toBe(true);
});

/** Every text in a value, at any depth, with the name of its field. */
function textsIn(value: unknown, field = ''): readonly (readonly [field: string, text: string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    textsIn(inner, Array.isArray(value) ? field : name),
  );
}

test('records and events name what a fake of their region begins with, and no other', () => {
  const made = createFixtures({ seed: 9, region: 'na' });
  const all = [...records.map((name) => made[name]()), ...events.map((type) => made.event(type).payload)];
  const texts = textsIn(all);

  expect(
    texts.filter(([field, text]) => /eu$|_eu_/.test(text) || (field === 'region' && text !== 'na')),
  ).toEqual([]);
  // A record has an id of its own, and no field else has one of a kind that a fake begins with.
  const own = texts.filter(([, text]) => /^(agent|client|convo|org|owner|team|variable)_9$/.test(text));
  expect(own.map(([field]) => field)).toEqual(own.map(() => expect.stringMatching(/^(ID|id)$/) as unknown));
});

test.each<[name: keyof typeof schemas, own: string]>([
  [
    'conversation',
    'ID userID campaignId contactIdentityId whatsappPhoneNumberId whatsappBusinessAccountId projectId latestSessionId currentNode id',
  ],
  ['defaultTool', 'id'],
  ['orgClient', 'ID idpUid agencyId paymentCustomerId'],
  ['team', 'ID'],
  ['tool', 'id voiceprovId'],
  ['variable', 'key id'],
  ['variableInput', 'key'],
])('a %s of another seed has ids of its own', (name, own) => {
  const texts = textsIn(createFixtures({ seed: 77 })[name]());

  expect(texts.filter(([, text]) => text.endsWith('_77')).map(([field]) => field)).toEqual(own.split(' '));
});

test('overrides are laid over the record at any depth', () => {
  const client = fixtures.orgClient({
    onboardingState: { personalInfo: { role: 'Sales' } },
    predefinedTags: ['new'],
    notificationsSettings: undefined,
  });

  expect(client.onboardingState).toMatchObject({
    currentStep: 3,
    personalInfo: { role: 'Sales', industry: 'Retail' },
  });
  expect(client.predefinedTags).toEqual(['new']);
  expect(client).not.toHaveProperty('notificationsSettings');
});

test('overrides are laid over a delivery as over its event', () => {
  const overrides = { formData: { urgent: true }, agentName: undefined };
  const { payload } = fixtures.event('form_submitted', overrides);
  expect(payload.formData).toEqual({ order_number: '1001', urgent: true });
  expect(fixtures.delivery('form_submitted', 'fake-secret', overrides).payload).toStrictEqual({
    ...payload,
    workspaceSecret: 'fake-secret',
  });
});

test('overrides of one record do not reach another', () => {
  const tags = ['mine'];
  const { tags: copy } = fixtures.conversation({ tags });
  tags.push('later');

  expect(copy).toEqual(['mine']);
  expect(fixtures.conversation().tags).not.toContain('mine');
});

test('a free-form field takes any value', () => {
  expect(
    fixtures.conversation({ capturedVariables: [1], funnelExtractedData: { a: { b: 1 } } }),
  ).toMatchObject({
    capturedVariables: [1],
    funnelExtractedData: { a: { b: 1 } },
  });
});

test.each(['eu', 'na'] as const)('a fake of region %s takes them as they are', (region) => {
  const made = createFixtures({ seed: 9, region });
  const { add } = createFakePlatform();

  expect(add[region].tool(made.tool())).toEqual(made.tool());
  expect(add[region].client(made.orgClient()).orgId).toBe(`org_${region}_1`);
  expect(add[region].variable(made.variable()).agentId).toBe(`agent_${region}_1`);
});

test.each(['lead_scored', 'toString'])('an event of the type %s is refused, and says what to use', (type) => {
  const make = () => fixtures.event(type as 'lead_captured');
  expect(make).toThrow(TypeError);
  expect(make).toThrow(
    new RegExp(
      `^"${type}" is not an event type.*sendUnknown.*Known: message_received, .*conversation_updated\\.$`,
    ),
  );
});
