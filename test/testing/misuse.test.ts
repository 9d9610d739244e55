import { ConfigurationError, endpoints } from 'agent-platform-sdk';
import {
  createFakePlatform,
  createFixtures,
  type FakePlatform,
  type FakePlatformOptions,
  type FaultInput,
} from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { describe, expect, test } from 'vitest';

const create = (options: object) => createFakePlatform(options as FakePlatformOptions);
const inject = (fault: object) => (fake: FakePlatform) => fake.faults.inject(fault as FaultInput);
const send = (options: object) => (fake: FakePlatform) => fake.webhooks.send('webhook_test', {}, options);
const receiver = { fetch: () => new Response() };

/** What a program in JavaScript, or JSON over HTTP, can get wrong, and the words of the error. */
const mistakes: readonly (readonly [act: (fake: FakePlatform) => unknown, message: string])[] = [
  // Names that are unknown.
  [() => create({ sed: 'empty' }), 'createFakePlatform: sed is not a known option. Did you mean `seed`?'],
  [() => create({ regions: { us: {} } }), 'regions.us is not a known option'],
  [
    () => create({ regions: { eu: { tool: [] } } }),
    'regions.eu.tool is not a known option. Did you mean `tools`?',
  ],
  [() => create({ choices: { permit: () => true } }), 'Did you mean `permits`?'],
  [
    () => create({ choices: { refusals: { duplicateKey: { status: 409 } } } }),
    'choices.refusals.duplicateKey.status',
  ],
  [() => create({ baseUrls: { us: 'https://us.example' } }), 'baseUrls.us is not a known option'],
  [
    (fake) => fake.listen({ hosts: 'x' } as object),
    'fake.listen: hosts is not a known option. Did you mean `host`?',
  ],
  [inject({ stauts: 500, status: 500 }), 'stauts is not a known option. Did you mean `status`?'],
  [inject({ kind: 'reset', ms: 4 }), 'ms is not a known option'],
  [inject({ kind: 'explosion' }), 'Unknown fault "explosion". Known: status, rate-limit'],
  [inject({ kind: 'statis', status: 500 }), 'Unknown fault "statis". Did you mean "status"?'],
  [inject({ endpoint: 'getTools', status: 500 }), 'Unknown endpoint "getTools". Did you mean "getTool"?'],
  [send({ copys: 2 }), 'webhooks.send: copys is not a known option. Did you mean `copies`?'],
  [(fake) => fake.webhooks.subscribe(receiver, { event: [] } as object), 'Did you mean `events`?'],
  [(fake) => fake.webhooks.replay([], { copys: 2 } as object), 'webhooks.replay: copys'],
  [(fake) => fake.records.list('us' as 'eu', 'tools'), 'Unknown region "us"'],
  [(fake) => fake.records.list('eu', 'tool' as 'tools'), 'Unknown collection "tool". Did you mean "tools"?'],
  [
    (fake) => fake.add.agent({ nane: 'x' } as object),
    'the agent: nane is not a known field. Did you mean `name`?',
  ],
  [(fake) => fake.add.tool({ serverURL: 'x' } as object), 'Did you mean `serverUrl`?'],
  [(fake) => fake.add.org({ colour: 'x' } as object), 'colour is not a known option'],
  [
    () => createFixtures().event('lead_capture' as 'lead_captured'),
    'Unknown event type "lead_capture". Did you mean',
  ],
  [
    () => createFixtures().event('xyz' as 'lead_captured'),
    'Unknown event type "xyz". Known: message_received,',
  ],
  // One thing in the place of another.
  [
    (fake) => fake.webhooks.send({ type: 'lead_captured' } as never),
    'webhooks.send: type must be of type string, got object.',
  ],
  ...[undefined, null, () => new Response(), {}].map(
    (target) =>
      [
        (fake: FakePlatform) => fake.webhooks.subscribe(target as never),
        'webhooks.subscribe: expected an address or a receiver, got ',
      ] as const,
  ),
  ...['ftp://x.example', 'not a url', 'http://user:pw@x.example'].map(
    (address) =>
      [(fake: FakePlatform) => fake.webhooks.subscribe(address), 'expected an http: or https:'] as const,
  ),
  ...['getTool', 'GET /tools/{toolId}', { method: 'GET', path: '/x' }].map(
    (given) =>
      [
        (fake: FakePlatform) => fake.handle(given as never, () => ({})),
        'fake.handle: endpoint must be an endpoint, such as `endpoints.getTool`',
      ] as const,
  ),
  [(fake) => fake.handle(endpoints.getTool, undefined as never), 'fake.handle: handler is missing'],
  ...['', '.', '..'].map(
    (id) =>
      [(fake: FakePlatform) => fake.add.tool({ id }), `the tool: no path can have the id "${id}".`] as const,
  ),
  [
    () => create({ regions: { na: { leads: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] } } }),
    'na.leads[2] "a": Another record has this id.',
  ],
  [
    () => createFixtures().delivery('lead_captured', {} as never),
    'fixtures.delivery(type, secret, overrides): secret must be of type string, got object.',
  ],
  [inject(undefined as never), 'faults.inject: options is missing.'],
  [
    inject({ endpoint: () => undefined, status: 503 }),
    'faults.inject: endpoint must be an endpoint, such as `endpoints.getTool`, got function.',
  ],
  ...[undefined, {}].map(
    (fake) => [() => fakeHandlers(fake as never), 'fakeHandlers: expected a fake, as createFake'] as const,
  ),
  // Values that are missing or wrong.
  [() => create({ seed: 'full' }), "seed must be one of 'default', 'empty'"],
  [(fake) => fake.listen({ port: '80' } as object), 'port must be a whole number'],
  [(fake) => fake.listen({ allowedHosts: ['a.example:80'] }), 'must be a name without a port'],
  [inject({}), 'faults.inject: status is missing'],
  [inject({ status: 700 }), 'status must be a whole number from 200 to 599, got 700'],
  [
    inject({ status: 500, times: 0 }),
    "faults.inject: times must be a whole number, 1 or more, or 'always', got 0.",
  ],
  [
    inject({ status: 500, path: '/tools' }),
    'faults.inject: path is not a known option. Known: kind, times, region, endpoint',
  ],
  [
    (fake) => fake.webhooks.send('lead_captured', { leadNam: 'Dana' } as object),
    'the payload of lead_captured: leadNam is not a known field. Did you mean `leadName`?',
  ],
  [
    () => createFixtures().tool({ serverURL: 'x' } as object),
    'fixtures.tool: serverURL is not a known field. Did you mean `serverUrl`?',
  ],
  [
    (fake) => fake.webhooks.replay([{ type: 'lead_captured', payload: {} }]),
    'webhooks.replay: the recording has no subscriber',
  ],
  [inject({ status: 500, region: 'us' }), "region must be one of 'eu', 'na', got 'us'"],
  [inject({ status: 500, headers: { 'a b': 'c' } }), 'headers["a b"]'],
  [inject({ status: 500, retryAfter: 'a\nb' }), 'retryAfter'],
  [send({ copies: 0 }), 'copies must be a whole number from 1 to 1000, got 0'],
  [send({ copies: 1_001 }), 'copies must be'],
  [send({ workspaceId: 'x' }), 'Region eu has no workspace "x"'],
  [(fake) => fake.add.tool({ name: 7 as never }), 'the tool: name must be of type string'],
  [(fake) => fake.add.tool({ agentId: 'x' }), 'Region eu has no agent "x". Known: agent_eu_1.'],
  [(fake) => fake.add.agent({ workspaceId: 'x' }), 'Region eu has no workspace "x".'],
  [(fake) => fake.add.team({ orgId: 'x' }), 'Region eu has no org "x".'],
  [(fake) => fake.add.variable({ key: 'customer_name' }), 'already has a variable with the same key'],
  [() => create({ seed: 'empty' }).add.tool(), 'Region eu has no agent yet. Add one first.'],
  [(fake) => fake.records.change('eu', 'tools', 'x', {}), 'Region eu has no tool "x"'],
  [(fake) => fake.records.change('eu', 'tools', 'tool_eu_1', { id: 'y' }), 'cannot be changed'],
  [(fake) => fake.records.change('eu', 'tools', 'tool_eu_1', { agentId: 'x' }), 'has no agent "x"'],
  [(fake) => fake.records.change('eu', 'agents', 'agent_eu_1', { name: undefined }), 'name is missing'],
  ...[{}, { version: 2, records: {} }, undefined].map(
    (snapshot) => [(fake: FakePlatform) => fake.restore(snapshot as never), 'not a snapshot'] as const,
  ),
];

describe('a ConfigurationError names', () => {
  test.each(mistakes.map(([act, message]) => ({ act, message })))('$message', async ({ act, message }) => {
    const fake = createFakePlatform();
    const before = JSON.stringify([fake.snapshot(), fake.faults.list(), fake.webhooks.subscriptions]);
    const error: unknown = await Promise.resolve()
      .then(() => act(fake))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(message);
    // Nothing was changed on the way.
    expect(JSON.stringify([fake.snapshot(), fake.faults.list(), fake.webhooks.subscriptions])).toBe(before);
  });
});
